import { scanJson } from '@uar/json-text';
import { z } from 'zod';
import type { ClientCapabilities } from '../client-side.js';

const capability = z.record(z.string(), z.unknown()).optional();
const known = z.object({ sampling: capability, elicitation: capability, roots: capability });

/** Of a seat's text those that can be kept to; none where it is not what it should be. */
export function capabilitiesOf(json: string): ClientCapabilities {
  if (scanJson(json).kind === 'bad') return {};
  const parsed = known.safeParse(JSON.parse(json));
  if (!parsed.success) return {};
  const { sampling, elicitation, roots } = parsed.data;
  return {
    ...(sampling === undefined ? {} : { sampling }),
    ...(elicitation === undefined ? {} : { elicitation }),
    ...(roots === undefined ? {} : { roots }),
  };
}
