import type { ItemKind } from '../items/item-lists.js';
import type { ConnectTarget } from '../link/connect.js';
import type { LinkPorts } from '../link/connection.js';
import { linkTimes, mostSeats } from '../link/link-times.js';
import { overloaded, type Claim, type Placed } from './place.js';
import { roomFor } from './room.js';
import { SeatSession } from './seat-session.js';

export interface SeatsOptions {
  /** The configuration of now. */
  readonly target: () => ConnectTarget;
  readonly ports: Pick<LinkPorts, 'open' | 'expand' | 'clock' | 'clients' | 'onFault' | 'onSeatFailed'>;
  readonly onItemsChanged: (kind: ItemKind) => void;
}

/** Of one principal: who takes and gives up sessions faster than they end is held up alone. */
const mostEndingPerSeat = 2;

/** The sessions with one server in which calls of principals run: one for each principal and seat, opened when it is needed. */
export class Seats {
  private readonly sessions = new Map<string, SeatSession>();
  /** Of whom. */
  private readonly ending = new Map<Promise<void>, string>();
  private ended = false;

  constructor(private readonly options: SeatsOptions) {}

  /** A place in the session of the claim's seat; whoever comes while it opens waits for the same one. */
  async take(claim: Claim, signal: AbortSignal): Promise<Placed> {
    if (this.ended) return { kind: 'unavailable', message: 'the host is stopping' };
    const key = JSON.stringify([claim.principal, claim.seat?.id ?? '']);
    const session = this.sessions.get(key) ?? this.begin(key, claim);
    if (session === undefined) return overloaded;
    session.slots.setCapacity(this.options.target().config.concurrency);
    return await session.enter(claim.seat, signal);
  }

  /** Gives up all sessions; what runs in them may go on for a while. */
  async clear(): Promise<void> {
    for (const [key, session] of this.sessions) this.drop(key, session, linkTimes.retire);
    await Promise.all(this.ending.keys());
  }

  /** Ends all sessions at once and begins no other. */
  async end(): Promise<void> {
    this.ended = true;
    for (const [key, session] of this.sessions) this.drop(key, session, 0);
    await Promise.all(this.ending.keys());
  }

  /** Undefined: there are too many, and none that may end, or too many still end. */
  private begin(key: string, claim: Claim): SeatSession | undefined {
    if (!this.makeRoom(claim.principal)) return undefined;
    const session = new SeatSession({
      ...{ ports: this.options.ports, target: this.options.target(), claim },
      onItemsChanged: this.options.onItemsChanged,
      onOver: () => this.drop(key, session, linkTimes.retire),
    });
    this.sessions.set(key, session);
    return session;
  }

  private makeRoom(principal: string): boolean {
    const { seats_per_principal: share } = this.options.target().config;
    const endingOfTheirs = [...this.ending.values()].filter((of) => of === principal).length;
    if (this.ending.size >= mostSeats || endingOfTheirs >= share * mostEndingPerSeat) return false;
    const held = [...this.sessions].map(([key, session]) => {
      return { key, session, principal: session.principal, idleSince: session.idleSince };
    });
    const room = roomFor(principal, held, { most: mostSeats, share });
    if (room.kind === 'ends') this.drop(room.one.key, room.one.session, 0);
    return room.kind !== 'full';
  }

  private drop(key: string, session: SeatSession, graceMs: number): void {
    if (this.sessions.get(key) === session) this.sessions.delete(key);
    const over = session.end(graceMs).finally(() => this.ending.delete(over));
    this.ending.set(over, session.principal);
  }
}
