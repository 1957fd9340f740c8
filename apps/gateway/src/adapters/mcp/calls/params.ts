import { z } from 'zod';

/** `_meta` of a request (MCP "General fields"). */
export const RequestMeta = z
  .looseObject({ progressToken: z.union([z.string(), z.number()]).optional() })
  .optional();
