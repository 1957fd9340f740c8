import { randomUUID } from 'node:crypto';
import { type Caller, type RunId, principalId } from '@uar/contracts';
import type { EffectiveCatalog, ListChange } from '../../../domain/catalog/effective-catalog.js';
import type { Front } from '../../../domain/front/front.js';
import { McpSession, type SessionParts } from './session.js';

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

/** Bounds of the sessions of one gateway; most clients never say goodbye. */
export interface SessionLimits {
  readonly idleMs: number;
  readonly perPrincipal: number;
  readonly total: number;
  /** Milliseconds without any stream after which nobody waits for the session's calls. */
  readonly lonelyMs: number;
}

const sessionLimits: SessionLimits = {
  idleMs: 30 * 60_000,
  perPrincipal: 100,
  total: 10_000,
  lonelyMs: 30_000,
};

const sweepMs = 5_000;

/** The MCP sessions of this gateway: found by id for their own principal alone, ended when idle or when the owner has too many. */
export class SessionStore {
  private readonly sessions = new Map<string, McpSession>();
  private readonly sweeper: NodeJS.Timeout;
  private readonly forget: () => void;
  private changed: ListChange[] = [];
  private readonly closing = new Set<Promise<void>>();

  constructor(
    private readonly parts: StoreParts,
    private readonly limits: SessionLimits = sessionLimits,
  ) {
    this.sweeper = setInterval(() => void this.sweep(), sweepMs);
    this.sweeper.unref();
    this.forget = parts.lists.onChange((change) => this.noteChange(change));
  }

  /** The owner's least recently used session makes room for a new one of its own. */
  async open({ caller, front }: Visit): Promise<McpSession | 'full' | 'unavailable'> {
    await this.makeRoom(principalId(caller.principal));
    if (this.sessions.size >= this.limits.total) return 'full';
    const id = randomUUID();
    const run = await this.parts.runs.openSession(caller);
    if (run === undefined) return 'unavailable';
    const session = new McpSession(
      id,
      { caller: { ...caller, run_id: run, session_id: id }, front },
      this.parts,
    );
    await session.connect();
    this.sessions.set(id, session);
    return session;
  }

  /** A session of somebody else, or of another front, is as unknown as one that never was (CASES T5). */
  find(id: string, { caller, front }: Visit): McpSession | undefined {
    const session = this.sessions.get(id);
    if (session === undefined || session.front.path !== front.path) return undefined;
    if (session.owner !== principalId(caller.principal)) return undefined;
    session.touch(caller);
    return session;
  }

  async end(session: McpSession): Promise<void> {
    if (!this.sessions.delete(session.id)) return;
    const closing = this.parts.runs
      .closeSession(session.lastCaller, session.runId)
      .finally(() => this.closing.delete(closing));
    this.closing.add(closing);
    await session.close();
  }

  async close(): Promise<void> {
    clearInterval(this.sweeper);
    this.forget();
    await Promise.all([...this.sessions.values()].map((session) => this.end(session)));
    await Promise.all(this.closing);
  }

  private async makeRoom(owner: string): Promise<void> {
    const own = [...this.sessions.values()].filter((session) => session.owner === owner);
    if (own.length < this.limits.perPrincipal) return;
    const [oldest] = own.sort((a, b) => a.lastUsedAt - b.lastUsedAt);
    if (oldest !== undefined) await this.end(oldest);
  }

  private async sweep(): Promise<void> {
    const now = Date.now();
    const idle = [...this.sessions.values()].filter(
      (session) => now - session.lastUsedAt > this.limits.idleMs && !session.transport.hasStream(),
    );
    for (const session of this.sessions.values()) {
      if (session.transport.lonelyForMs(now) > this.limits.lonelyMs) session.abandonCalls();
    }
    await Promise.all(idle.map((session) => this.end(session)));
  }

  private noteChange(change: ListChange): void {
    if (this.changed.length === 0) setTimeout(() => void this.tellChange(), 250).unref();
    this.changed.push(change);
  }

  private async tellChange(): Promise<void> {
    const changes = this.changed;
    this.changed = [];
    const runs = new Set(changes.flatMap(({ runId }) => runId ?? []));
    const wide = changes.filter(({ runId }) => runId === undefined);
    const tenants = new Set(wide.map(({ tenant }) => tenant));
    const affected = [...this.sessions.values()].filter(
      ({ runId, tenant }) => runs.has(runId) || tenants.has(undefined) || tenants.has(tenant),
    );
    await Promise.all(affected.map((session) => session.toolsChanged()));
  }
}
