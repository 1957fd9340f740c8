import { z } from 'zod';

/** `_meta` of a request (MCP "General fields"). */
export const RequestMeta = z
  .looseObject({ progressToken: z.union([z.string(), z.number()]).optional() })
  .optional();

/** An upstream's `params` of progress, under the client's own token (MCP "Progress"). */
export function progressUnder(progressToken: string | number, paramsJson: string): Record<string, unknown> {
  return { ...z.record(z.string(), z.unknown()).parse(JSON.parse(paramsJson)), progressToken };
}
