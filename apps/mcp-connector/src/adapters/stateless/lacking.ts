import { z } from 'zod';
import { rpcCodes } from './revision.js';
import type { Reply } from './wire.js';

const Data = z.looseObject({ requiredCapabilities: z.looseObject({}) });
const known: ReadonlySet<string> = new Set(['sampling', 'elicitation', 'roots']);

/** Client capabilities without which the upstream refuses a request, by its error. */
export function lackingIn({ code, dataJson }: Extract<Reply, { kind: 'upstream_error' }>): readonly string[] {
  if (code !== rpcCodes.missingCapability || dataJson === undefined) return [];
  const required = Data.safeParse(JSON.parse(dataJson)).data?.requiredCapabilities ?? {};
  return Object.keys(required).filter((name) => known.has(name));
}
