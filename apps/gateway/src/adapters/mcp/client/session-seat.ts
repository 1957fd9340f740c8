import { randomBytes } from 'node:crypto';
import { isAtLeast, LogLevel, type InstanceId, type Seat } from '@uar/contracts';
import type { ClientAsk } from '../../../domain/client/connected-clients.js';
import { declaredIn, declaresAnything, takes, type Declared } from '../../../domain/client/declared.js';
import type { Greeting, Revision } from '../revisions.js';

/** The seat of one session: its own once the client declared something to be asked for, else the one that its principal's share. */
export class SessionSeat {
  private declared: Declared = {};
  private id = '';
  private level: LogLevel | undefined;

  constructor(private readonly gateway: InstanceId) {}

  greet({ revision, params }: Greeting): void {
    this.declared = declaredFor(revision, params.capabilities);
    this.id = declaresAnything(this.declared) ? randomBytes(16).toString('hex') : '';
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
  takes(ask: Pick<ClientAsk, 'method' | 'params_json'>): boolean {
    return takes(this.declared, ask);
  }
}

/** 2025-06-18 brought elicitation, with forms alone and no word for them. */
function declaredFor(revision: Revision, capabilities: unknown): Declared {
  const { elicitation, ...rest } = declaredIn(capabilities);
  if (revision === '2024-11-05' || revision === '2025-03-26' || elicitation === undefined) return rest;
  return { ...rest, elicitation: revision === '2025-06-18' ? {} : elicitation };
}
