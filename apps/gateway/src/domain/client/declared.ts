import { z } from 'zod';
import type { ClientAsk } from './connected-clients.js';

const flag = z.object({}).optional().catch(undefined);

/** What upstreams may be told of a client's capabilities. That its roots change nobody passes on. */
const Capabilities = z.object({
  sampling: z.object({ context: flag, tools: flag }).optional().catch(undefined),
  elicitation: z.object({ form: flag, url: flag }).optional().catch(undefined),
  roots: flag,
});
export type Declared = z.output<typeof Capabilities>;

const Mode = z.object({ mode: z.string().optional() });

/** Of ClientCapabilities (MCP): what is of another shape, or none of these, is not there. */
export function declaredIn(capabilities: unknown): Declared {
  return Capabilities.catch({}).parse(capabilities);
}

export function declaresAnything(declared: Declared): boolean {
  return Object.values(declared).some((part) => part !== undefined);
}

/** Did the client declare that it takes such a request? */
export function takes(
  { sampling, elicitation, roots }: Declared,
  { method, params_json }: Pick<ClientAsk, 'method' | 'params_json'>,
): boolean {
  switch (method) {
    case 'sampling/createMessage':
      return sampling !== undefined;
    case 'roots/list':
      return roots !== undefined;
    case 'elicitation/create':
      return elicitation !== undefined && takesMode(elicitation, params_json);
  }
}

/** A client that names no mode takes forms (MCP 2025-11-25, "Elicitation"); a request that names none is one. */
function takesMode({ form, url }: NonNullable<Declared['elicitation']>, paramsJson: string): boolean {
  const { mode = 'form' } = Mode.catch({ mode: '' }).parse(JSON.parse(paramsJson));
  if (mode === 'url') return url !== undefined;
  return mode === 'form' && (form !== undefined || url === undefined);
}
