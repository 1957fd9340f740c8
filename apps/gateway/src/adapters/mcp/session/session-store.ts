import { randomUUID } from 'node:crypto';
import { type Caller, type RunId, principalId } from '@uar/contracts';
import type { EffectiveCatalog, ListChange } from '../../../domain/catalog/effective-catalog.js';
import type { Front } from '../../../domain/front/front.js';
import { ListNews } from './list-news.js';
import { ReplayStore } from './replay-store.js';
import { McpSession, type SessionKind, type SessionParts } from './session.js';
import { sessionLimits, type SessionLimits } from './session-limits.js';

/** Every session is a run, durable like others. */
export interface SessionRuns {
  /** Undefined: it could not be recorded. */
  openSession(caller: Caller): Promise<RunId | undefined>;
  closeSession(caller: Caller, runId: RunId): Promise<void>;
}

export interface StoreParts extends SessionParts {
  readonly runs: SessionRuns;
  readonly lists: Pick<EffectiveCatalog, 'onChange'>;
}

/** Who asks, and where. */
export interface Visit {
  readonly caller: Caller;
  readonly front: Front;
}

/** The MCP sessions of this gateway: found by id for their own principal alone, ended when idle or when there are too many. */
export class SessionStore {
  /** The longest idle first. */
  private readonly sessions = new Map<string, McpSession>();
  /** Sessions of each owner, those that are being opened included. */
  private readonly counts = new Map<string, number>();
  private total = 0;
  private readonly replay: ReplayStore;
  private readonly sweeper: NodeJS.Timeout;
  private readonly news: ListNews<ListChange>;
  private readonly closing = new Set<Promise<void>>();

  constructor(
    private readonly parts: StoreParts,
    private readonly limits: SessionLimits = sessionLimits,
  ) {
    this.replay = new ReplayStore(limits.replay);
    this.sweeper = setInterval(() => this.sweep(), limits.sweepMs).unref();
    this.news = new ListNews(
      (listener) => parts.lists.onChange(listener),
      (changes) => this.tell(changes),
    );
  }

  get size(): number {
    return this.sessions.size;
  }

  /** The longest idle session makes room for a new one; `full` where none is idle. */
  async open({ caller, front }: Visit, kind: SessionKind): Promise<McpSession | 'full' | 'unavailable'> {
    const owner = principalId(caller.principal);
    if (!this.makeRoom(owner)) return 'full';
    this.count(owner, 1);
    const id = randomUUID();
    const run = await this.parts.runs.openSession(caller);
    if (run === undefined) {
      this.count(owner, -1);
      return 'unavailable';
    }
    const itself = { ...caller, run_id: run, session_id: id };
    const replay = this.replay.open();
    const session = new McpSession(id, { caller: itself, front, kind, replay }, this.parts);
    await session.connect();
    this.sessions.set(id, session);
    return session;
  }

  /** A session of somebody else, of another front or kind, is as unknown as one that never was (CASES T5). */
  find(id: string, { caller, front }: Visit, kind: SessionKind): McpSession | undefined {
    const session = this.sessions.get(id);
    if (session === undefined || session.front.path !== front.path || session.kind !== kind) return undefined;
    if (session.owner !== principalId(caller.principal)) return undefined;
    session.touch(caller);
    this.sessions.delete(id);
    this.sessions.set(id, session);
    return session;
  }

  async end(session: McpSession, by: 'client' | 'gateway'): Promise<void> {
    if (!this.sessions.delete(session.id)) return;
    this.count(session.owner, -1);
    const closing = session
      .endSubscriptions()
      .then(() => this.parts.runs.closeSession(session.lastCaller, session.runId))
      .finally(() => this.closing.delete(closing));
    this.closing.add(closing);
    await session.close(by);
  }

  async close(): Promise<void> {
    clearInterval(this.sweeper);
    this.news.close();
    await Promise.all([...this.sessions.values()].map((session) => this.end(session, 'gateway')));
    await Promise.all(this.closing);
  }

  private makeRoom(owner: string): boolean {
    const ownIsFull = (this.counts.get(owner) ?? 0) >= this.limits.perPrincipal;
    if (!ownIsFull && this.total < this.limits.total) return true;
    for (const session of this.sessions.values()) {
      if (session.isBusy || (ownIsFull && session.owner !== owner)) continue;
      void this.end(session, 'gateway');
      return true;
    }
    return false;
  }

  private count(owner: string, by: 1 | -1): void {
    this.total += by;
    const left = (this.counts.get(owner) ?? 0) + by;
    if (left > 0) this.counts.set(owner, left);
    else this.counts.delete(owner);
  }

  private sweep(): void {
    const now = Date.now();
    const { idleMs, lonelyMs, longestStreamMs } = this.limits;
    this.replay.sweep(now);
    for (const session of this.sessions.values()) {
      const { transport } = session;
      if (transport.lonelyForMs(now) > lonelyMs) session.abandonCalls();
      const isIdle = now - session.lastUsedAt > idleMs && !session.isBusy && !transport.hasStream();
      if (isIdle) void this.end(session, 'gateway');
      else transport.releaseOlderThan(longestStreamMs, now);
    }
  }

  private async tell(changes: readonly ListChange[]): Promise<void> {
    const runs = new Set(changes.flatMap(({ runId }) => runId ?? []));
    const wide = changes.filter(({ runId }) => runId === undefined);
    const tenants = new Set(wide.map(({ tenant }) => tenant));
    const affected = [...this.sessions.values()].filter(
      ({ runId, tenant }) => runs.has(runId) || tenants.has(undefined) || tenants.has(tenant),
    );
    await Promise.all(affected.map((session) => session.toolsChanged()));
  }
}
