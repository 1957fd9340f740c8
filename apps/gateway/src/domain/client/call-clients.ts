import { randomBytes } from 'node:crypto';
import { agentOf, principalId, type Caller, type InstanceId, type LogLevel } from '@uar/contracts';
import type { Clock } from '../call/ports.js';
import { CallClient } from './call-client.js';
import { mostOpenAsks } from './client-answer.js';
import type { ConnectedClients } from './connected-clients.js';
import { declaresAnything, type Declared } from './declared.js';

/** What the request of a call says of its client. */
export interface CallClientWish {
  readonly declared: Declared;
  /** It wants to hear of this severity and above. */
  readonly level: LogLevel | undefined;
  readonly given: ReadonlyMap<string, string>;
}

interface IdleSeat {
  readonly id: string;
  readonly since: number;
}

/** Shorter than a host keeps the session of a seat that nobody uses. */
const seatIdleMs = 4 * 60_000;
const mostIdleSeats = 1_000;

/** Clients of calls without a session, each in a seat that no other call has at the same time. */
export class CallClients {
  private readonly open = new Map<string, Set<CallClient>>();
  /** By whose they are and what they declare, the longest idle first: an upstream session is used by one call after the other. */
  private readonly idle = new Map<string, IdleSeat[]>();
  private idleCount = 0;

  constructor(
    private readonly parts: {
      readonly clients: Pick<ConnectedClients, 'join'>;
      readonly gateway: InstanceId;
      readonly clock: Clock;
    },
  ) {}

  /** Undefined where it is neither asked nor told anything: it shares the seat of its principal. */
  begin(caller: Caller, { declared, level, given }: CallClientWish): CallClient | undefined {
    if (!declaresAnything(declared) && level === undefined) return undefined;
    const { principal, run_id } = caller;
    const owner = principalId(principal);
    const capabilities_json = JSON.stringify(declared);
    const key = JSON.stringify([owner, agentOf(principal) ?? null, run_id, capabilities_json]);
    const id = this.takeSeat(key) ?? randomBytes(16).toString('hex');
    const { gateway, clock, clients } = this.parts;
    const client = new CallClient({
      ...{ tenant: principal.tenant, owner, declared, given, clock },
      seat: { id, gateway, capabilities_json, ...(level !== undefined && { log_level: level }) },
      isCrowded: () => this.openAsks(owner) >= mostOpenAsks,
      onClose: (isQuiet) => {
        leave();
        this.forget(owner, client);
        if (isQuiet) this.keepSeat(key, id);
      },
    });
    const leave = clients.join(client);
    this.open.set(owner, (this.open.get(owner) ?? new Set()).add(client));
    return client;
  }

  /** Nobody comes back any more: whatever waits for a client goes on without it. */
  close(): void {
    for (const own of this.open.values()) for (const client of own) client.asks.end();
  }

  private openAsks(owner: string): number {
    return [...(this.open.get(owner) ?? [])].reduce((sum, { asks }) => sum + asks.size, 0);
  }

  private forget(owner: string, client: CallClient): void {
    const own = this.open.get(owner);
    own?.delete(client);
    if (own?.size === 0) this.open.delete(owner);
  }

  private takeSeat(key: string): string | undefined {
    const seats = this.idle.get(key) ?? [];
    const seat = seats.pop();
    if (seat === undefined) return undefined;
    this.idleCount -= 1;
    if (seat.since + seatIdleMs > this.parts.clock.now()) {
      if (seats.length === 0) this.idle.delete(key);
      return seat.id;
    }
    // The others have been idle for longer.
    this.idleCount -= seats.length;
    this.idle.delete(key);
    return undefined;
  }

  private keepSeat(key: string, id: string): void {
    if (this.idleCount >= mostIdleSeats) {
      this.idle.clear();
      this.idleCount = 0;
    }
    const seats = this.idle.get(key) ?? [];
    seats.push({ id, since: this.parts.clock.now() });
    this.idle.set(key, seats);
    this.idleCount += 1;
  }
}
