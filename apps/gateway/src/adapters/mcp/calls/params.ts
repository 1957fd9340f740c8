import { z } from 'zod';

/** `_meta` of a request (MCP "General fields"). */
export const RequestMeta = z
  .looseObject({ progressToken: z.union([z.string(), z.number()]).optional() })
  .optional();

const Tokened = z.looseObject({ _meta: RequestMeta });

/** Undefined: the client wants to hear of no progress. */
export function progressTokenOf(params: unknown): string | number | undefined {
  return Tokened.safeParse(params).data?._meta?.progressToken;
}

/** An upstream's `params` of progress, under the client's own token (MCP "Progress"). */
export function progressUnder(progressToken: string | number, paramsJson: string): Record<string, unknown> {
  return { ...z.record(z.string(), z.unknown()).parse(JSON.parse(paramsJson)), progressToken };
}
