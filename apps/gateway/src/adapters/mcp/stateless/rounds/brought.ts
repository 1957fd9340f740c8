import { memberText } from '@uar/json-text';
import { z } from 'zod';
import { mostOpenAsks } from '../../../../domain/client/client-answer.js';
import { RpcError } from '../../calls/call-result.js';
import { rpcCodes } from '../../rpc-codes.js';
import type { StatelessRequest } from '../envelope.js';

/** What a request brings along of an earlier round (MCP 2026-07-28, "Multi round-trip requests"). */
export interface Brought {
  readonly state: string | undefined;
  /** Results by key, as their client wrote them. */
  readonly responses: ReadonlyMap<string, string>;
}

const longestKey = 128;

/** A response has its own shape by what was asked; all of them are objects. */
const Params = z.looseObject({
  requestState: z.string().optional(),
  inputResponses: z
    .record(z.string().max(longestKey), z.looseObject({}))
    .refine((responses) => Object.keys(responses).length <= mostOpenAsks)
    .optional(),
});

/** An RpcError where it has another shape. */
export function readBrought({ params, text }: Pick<StatelessRequest, 'params' | 'text'>): Brought {
  const read = Params.safeParse(params);
  if (!read.success)
    throw new RpcError(rpcCodes.invalidParams, 'requestState and inputResponses have another shape');
  const { requestState: state, inputResponses = {} } = read.data;
  const responses = new Map<string, string>();
  for (const key of Object.keys(inputResponses)) {
    const response = memberText(text, 'params', 'inputResponses', key);
    if (response !== undefined) responses.set(key, response);
  }
  return { state, responses };
}

/** What the request itself says: upstreams read nothing of its rounds. */
export function withoutBrought(params: StatelessRequest['params']): StatelessRequest['params'] {
  return Object.fromEntries(Object.entries(params).filter(([name]) => !Object.hasOwn(Params.shape, name)));
}
