import { randomUUID } from 'node:crypto';
import { type Caller, principalId } from '@uar/contracts';
import type { Runs } from '../../domain/run/runs.js';
import { McpSession, type SessionParts } from './session.js';

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
  private changed = new Set<string | undefined>();

  constructor(
    private readonly parts: SessionParts,
    private readonly runs: Runs,
    private readonly limits: SessionLimits = sessionLimits,
  ) {
    this.sweeper = setInterval(() => void this.sweep(), sweepMs);
    this.sweeper.unref();
    this.forget = parts.catalog.onChange((tenant) => this.noteChange(tenant));
  }

  /** Undefined when the gateway is full. The owner's least recently used session makes room for a new one of its own. */
  async open(caller: Caller): Promise<McpSession | undefined> {
    await this.makeRoom(principalId(caller.principal));
    if (this.sessions.size >= this.limits.total) return undefined;
    const id = randomUUID();
    const run = this.runs.open(caller.principal);
    const session = new McpSession(id, { ...caller, run_id: run, session_id: id }, this.parts);
    await session.connect();
    this.sessions.set(id, session);
    return session;
  }

  /** A session of somebody else is as unknown as one that never was (CASES T5). */
  find(id: string, caller: Caller): McpSession | undefined {
    const session = this.sessions.get(id);
    if (session === undefined || session.owner !== principalId(caller.principal)) return undefined;
    session.touch(caller);
    return session;
  }

  async end(session: McpSession): Promise<void> {
    if (!this.sessions.delete(session.id)) return;
    this.runs.close(session.runId);
    await session.close();
  }

  async close(): Promise<void> {
    clearInterval(this.sweeper);
    this.forget();
    await Promise.all([...this.sessions.values()].map((session) => this.end(session)));
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

  private noteChange(tenant: string | undefined): void {
    if (this.changed.size === 0) setTimeout(() => void this.tellChange(), 250).unref();
    this.changed.add(tenant);
  }

  private async tellChange(): Promise<void> {
    const tenants = this.changed;
    this.changed = new Set();
    const affected = [...this.sessions.values()].filter(
      (session) => tenants.has(undefined) || tenants.has(session.tenant),
    );
    await Promise.all(affected.map((session) => session.toolsChanged()));
  }
}
