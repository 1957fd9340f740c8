import { type Item, type ItemMethod, longestItemId } from '@uar/contracts';
import { z } from 'zod';
import { RpcError } from '../calls/call-result.js';
import { RequestMeta } from '../calls/params.js';
import { rpcCodes } from '../rpc-codes.js';

/** What a request about one resource or prompt says. */
export interface ItemParams {
  readonly kind: Item['kind'];
  /** As the client calls it. */
  readonly id: string;
  readonly progressToken: string | number | undefined;
  /** `params` for the upstream, which calls it so; without `_meta`. */
  named(id: string): object;
}

const texts = z.record(z.string(), z.string());
const Named = z.looseObject({ uri: z.string().min(1), _meta: RequestMeta });
const Prompted = z.looseObject({ name: z.string(), arguments: texts.optional(), _meta: RequestMeta });
const Completing = z.looseObject({
  ref: z.discriminatedUnion('type', [
    z.looseObject({ type: z.literal('ref/prompt'), name: z.string() }),
    z.looseObject({ type: z.literal('ref/resource'), uri: z.string() }),
  ]),
  argument: z.looseObject({ name: z.string(), value: z.string() }),
  context: z.looseObject({ arguments: texts.optional() }).optional(),
  _meta: RequestMeta,
});

/** An RpcError where they are none of this method (MCP 2025-11-25, "Resources", "Prompts", "Completion"). */
export function readItemParams(method: ItemMethod, params: unknown): ItemParams {
  const read = readerOf(method)(params);
  if (read === undefined) throw new RpcError(rpcCodes.invalidParams, `these are no params of ${method}`);
  if (Buffer.byteLength(read.id) > longestItemId)
    throw new RpcError(rpcCodes.invalidParams, `a URI or name is at most ${longestItemId} bytes long`);
  return read;
}

type Reader = (params: unknown) => ItemParams | undefined;

function readerOf(method: ItemMethod): Reader {
  switch (method) {
    case 'resources/read':
    case 'resources/subscribe':
    case 'resources/unsubscribe':
      return readResource;
    case 'prompts/get':
      return readPrompt;
    case 'completion/complete':
      return readCompletion;
  }
}

function readResource(params: unknown): ItemParams | undefined {
  const parsed = Named.safeParse(params);
  if (!parsed.success) return undefined;
  const { _meta: meta, ...rest } = parsed.data;
  return {
    ...{ kind: 'resource', id: rest.uri, progressToken: meta?.progressToken },
    named: (uri) => ({ ...rest, uri }),
  };
}

function readPrompt(params: unknown): ItemParams | undefined {
  const parsed = Prompted.safeParse(params);
  if (!parsed.success) return undefined;
  const { _meta: meta, ...rest } = parsed.data;
  return {
    ...{ kind: 'prompt', id: rest.name, progressToken: meta?.progressToken },
    named: (name) => ({ ...rest, name }),
  };
}

function readCompletion(params: unknown): ItemParams | undefined {
  const parsed = Completing.safeParse(params);
  if (!parsed.success) return undefined;
  const { _meta: meta, ...rest } = parsed.data;
  const { ref } = rest;
  const { progressToken } = meta ?? {};
  if (ref.type === 'ref/prompt')
    return {
      ...{ kind: 'prompt', id: ref.name, progressToken },
      named: (name) => ({ ...rest, ref: { ...ref, name } }),
    };
  return {
    ...{ kind: 'resource', id: ref.uri, progressToken },
    named: (uri) => ({ ...rest, ref: { ...ref, uri } }),
  };
}
