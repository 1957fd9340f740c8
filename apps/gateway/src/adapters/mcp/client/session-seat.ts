import { randomBytes } from 'node:crypto';
import { isAtLeast, LogLevel, type InstanceId, type Seat } from '@uar/contracts';
import { z } from 'zod';
import type { ClientAsk } from '../../../domain/client/connected-clients.js';
import type { Greeting, Revision } from '../revisions.js';

const flag = z.object({}).optional().catch(undefined);

/** What upstreams may be told of a client's capabilities. That its roots change nobody passes on. */
const Declared = z.object({
  sampling: z.object({ context: flag, tools: flag }).optional().catch(undefined),
  elicitation: z.object({ form: flag, url: flag }).optional().catch(undefined),
  roots: flag,
});
type Declared = z.output<typeof Declared>;

const Mode = z.object({ mode: z.string().optional() });

/** The seat of one session: its own once the client declared something to be asked for, else the one that its principal's share. */
export class SessionSeat {
  private declared: Declared = {};
  private id = '';
  private level: LogLevel | undefined;

  constructor(private readonly gateway: InstanceId) {}

  greet({ revision, params }: Greeting): void {
    this.declared = declaredIn(params.capabilities, revision);
    const hasOwn = Object.values(this.declared).some((part) => part !== undefined);
    this.id = hasOwn ? randomBytes(16).toString('hex') : '';
  }

  get seat(): Seat {
    const { id, gateway, level } = this;
    const capabilities_json = JSON.stringify(this.declared);
    return { id, gateway, capabilities_json, ...(level !== undefined && { log_level: level }) };
  }

  setLevel(level: LogLevel): void {
    this.level = level;
  }

  /** Does the client want to hear of this severity? Everything, until it says which. */
  hears(severity: unknown): boolean {
    if (this.level === undefined) return true;
    const { success, data: level } = LogLevel.safeParse(severity);
    return success && isAtLeast(level, this.level);
  }

  /** Did the client declare that it takes such a request? */
  takes({ method, params_json }: Pick<ClientAsk, 'method' | 'params_json'>): boolean {
    const { sampling, elicitation, roots } = this.declared;
    switch (method) {
      case 'sampling/createMessage':
        return sampling !== undefined;
      case 'roots/list':
        return roots !== undefined;
      case 'elicitation/create':
        return elicitation !== undefined && takesMode(elicitation, params_json);
    }
  }
}

/** 2025-06-18 brought elicitation, with forms alone and no word for them. */
function declaredIn(capabilities: unknown, revision: Revision): Declared {
  const { elicitation, ...rest } = Declared.catch({}).parse(capabilities);
  if (revision === '2024-11-05' || revision === '2025-03-26' || elicitation === undefined) return rest;
  return { ...rest, elicitation: revision === '2025-06-18' ? {} : elicitation };
}

/** A client that names no mode takes forms (MCP 2025-11-25, "Elicitation"); a request that names none is one. */
function takesMode({ form, url }: NonNullable<Declared['elicitation']>, paramsJson: string): boolean {
  const { mode = 'form' } = Mode.catch({ mode: '' }).parse(JSON.parse(paramsJson));
  if (mode === 'url') return url !== undefined;
  return mode === 'form' && (form !== undefined || url === undefined);
}
