import { JsonText } from '@uar/json-text';
import { z } from 'zod';
import type { IncompleteItems } from '../../../domain/item/item-desk.js';
import { rpcCodes } from '../rpc-codes.js';
import { RpcError } from './call-result.js';
import { RequestMeta } from './params.js';

const pageSize = 1000;
const incompleteKey = 'io.uar/incomplete';

const ListParams = z.looseObject({ cursor: z.string().optional(), _meta: RequestMeta }).optional();

/** Of a request for a list; an RpcError where they hold none. */
export function readCursor(params: unknown): string | undefined {
  const parsed = ListParams.safeParse(params);
  if (!parsed.success) throw new RpcError(rpcCodes.invalidParams, 'cursor must be a string');
  return parsed.data?.cursor;
}

export interface Listing {
  /** The member of the result that is the list. */
  readonly name: 'tools' | 'resources' | 'resourceTemplates' | 'prompts';
  readonly definitions: readonly string[];
  readonly incomplete?: readonly IncompleteItems[];
}

/** One page of a list, as text; an RpcError where the cursor is none of ours. */
export function listPage(
  { name, definitions, incomplete = [] }: Listing,
  cursor: string | undefined,
): JsonText {
  const start = cursor === undefined ? 0 : Number(cursor);
  if (!Number.isInteger(start) || start < 0 || start > definitions.length)
    throw new RpcError(rpcCodes.invalidParams, 'this cursor is not one of ours');
  const end = start + pageSize;
  const next = end < definitions.length ? `,"nextCursor":"${end}"` : '';
  const meta = incomplete.length === 0 ? '' : `,"_meta":{"${incompleteKey}":${JSON.stringify(incomplete)}}`;
  return new JsonText(`{"${name}":[${definitions.slice(start, end).join(',')}]${next}${meta}}`);
}
