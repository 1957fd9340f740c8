import {
  agentOf,
  RunId,
  principalId,
  type Caller,
  type Principal,
  type ReceiptBody,
  type RunBody,
  type RunPatch,
  type RunStatus,
  type RunView,
  type StoredRun,
} from '@uar/contracts';
import type { Access } from '../access/access.js';
import type { Clock, Unavailable } from '../call/ports.js';
import type { AdminReceipt } from '../receipt/admin-receipt.js';
import { widenedMember } from './effective-run.js';
import type { HeldRun, RunStore, ScopeBook } from './ports.js';
import { mayUse, ownEffective, statusOf } from './run-frames.js';
import type { RunViews } from './run-views.js';
import type { Runs } from './runs.js';

export type RunAnswer =
  | { readonly kind: 'run'; readonly view: RunView }
  /** Also of somebody else. */
  | { readonly kind: 'not_found' }
  /** No agent of this id is registered that the token speaks for or, without one, that the user owns. */
  | { readonly kind: 'not_its_agent'; readonly agentId: string }
  | { readonly kind: 'not_active'; readonly status: RunStatus }
  | { readonly kind: 'widened'; readonly member: string }
  | Unavailable;

export type WatchedRun =
  | { readonly kind: 'watched'; readonly isActive: boolean }
  /** Also of somebody else. */
  | { readonly kind: 'not_found' }
  | Unavailable;

const dayMs = 86_400_000;
/** An ended run can be looked at for this long. */
const keptAfterMs = dayMs;
const longestSessionMs = 30 * dayMs;
/** Of a session nobody asks for long after it ended. */
const sessionKeptMs = 3_600_000;
const mostAttempts = 5;

/** Runs opened, narrowed and ended; durable before it is answered. */
export class RunDesk {
  constructor(
    private readonly parts: {
      readonly runs: RunStore;
      readonly frames: Runs;
      readonly scopes: ScopeBook;
      readonly views: RunViews;
      readonly access: Access;
      readonly clock: Pick<Clock, 'now'>;
      newRunId(): RunId;
      readonly receipt: AdminReceipt;
    },
  ) {}

  async open(caller: Caller, body: RunBody): Promise<RunAnswer> {
    const agent = this.agentFor(caller.principal, body.agent_id);
    if (agent.kind !== 'agent') return agent;
    const run = this.newRun(caller, {
      ttlMs: body.ttl_seconds * 1_000,
      agentId: agent.id,
      conversationId: body.conversation_id,
      scopes: body.scopes ?? {},
    });
    const keptUntil = run.expires_at + keptAfterMs;
    const written = await this.parts.runs.put({ run, ifRevision: 0, keptUntil });
    if (written.kind === 'conflict') return { kind: 'unavailable', cause: 'run_id_taken' };
    return written.kind === 'written' ? this.parts.views.of(caller, written.held) : written;
  }

  async read(caller: Caller, id: string): Promise<RunAnswer> {
    if (id === this.parts.frames.implicit(caller.principal)) return this.parts.views.ofImplicit(caller);
    const found = await this.find(caller, id);
    return 'held' in found ? this.parts.views.of(caller, found.held) : found;
  }

  /** Whose run it is to the caller, and whether it goes on; for whoever follows its events. */
  async watch(caller: Caller, id: string): Promise<WatchedRun> {
    if (id === this.parts.frames.implicit(caller.principal)) return { kind: 'watched', isActive: true };
    const found = await this.find(caller, id);
    if (!('held' in found)) return found;
    return { kind: 'watched', isActive: statusOf(found.held, this.parts.clock.now()) === 'active' };
  }

  /** A run that has ended stays as it ended. */
  cancel(caller: Caller, id: string): Promise<RunAnswer> {
    return this.change(caller, id, {
      action: 'cancel',
      apply: (held, status) => (status === 'active' ? { ...held.run, status: 'cancelled' } : undefined),
    });
  }

  /** Absent members of a scope stay. */
  narrow(caller: Caller, id: string, { scopes }: RunPatch): Promise<RunAnswer> {
    return this.change(caller, id, {
      action: 'narrow',
      apply: (held, status) =>
        status === 'active' ? narrowedRun(held, scopes) : { kind: 'not_active', status },
    });
  }

  /** The run of an MCP session. */
  async openSession(caller: Caller): Promise<RunId | undefined> {
    const agentId = agentOf(caller.principal);
    const run = this.newRun(caller, { ttlMs: longestSessionMs, agentId, scopes: {} });
    const written = await this.parts.runs.put({ run, ifRevision: 0, keptUntil: run.expires_at });
    return written.kind === 'written' ? run.run_id : undefined;
  }

  /** Its run is not lost without this: it expires. */
  async closeSession({ principal: { tenant } }: Caller, runId: RunId): Promise<void> {
    for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
      const found = await this.parts.runs.read(tenant, runId);
      if (found.kind !== 'found' || found.held.run.status !== 'active') return;
      const { run, revision } = found.held;
      const keptUntil = this.parts.clock.now() + sessionKeptMs;
      const ended: StoredRun = { ...run, status: 'completed' };
      const written = await this.parts.runs.put({ run: ended, ifRevision: revision, keptUntil });
      if (written.kind !== 'conflict') return;
    }
  }

  private agentFor(
    principal: Principal,
    wanted: string | undefined,
  ): { kind: 'agent'; id: string | undefined } | Extract<RunAnswer, { kind: 'not_its_agent' }> | Unavailable {
    const own = agentOf(principal);
    const id = wanted ?? own;
    if (id === undefined) return { kind: 'agent', id };
    const { scopes } = this.parts;
    if (!scopes.ready) return { kind: 'unavailable', cause: 'run_scopes_unread' };
    const agent = scopes.agent(principal.tenant, id);
    if (agent?.kind === 'unreadable') return { kind: 'unavailable', cause: 'agent_unreadable' };
    const isIts = own === undefined ? agent?.value.owner === principal.subject : own === id;
    return agent !== undefined && isIts ? { kind: 'agent', id } : { kind: 'not_its_agent', agentId: id };
  }

  private newRun(
    { principal, channel }: Caller,
    wanted: {
      readonly ttlMs: number;
      readonly agentId: string | undefined;
      readonly conversationId?: string | undefined;
      readonly scopes: StoredRun['scopes'];
    },
  ): StoredRun {
    const now = this.parts.clock.now();
    return {
      run_id: this.parts.newRunId(),
      tenant: principal.tenant,
      owner: { principal, channel },
      ...(wanted.agentId === undefined ? {} : { agent_id: wanted.agentId }),
      ...(wanted.conversationId === undefined ? {} : { conversation_id: wanted.conversationId }),
      status: 'active',
      scopes: wanted.scopes,
      asks_always: false,
      created_at: now,
      expires_at: now + wanted.ttlMs,
    };
  }

  /** Own runs, and those of others for holders of `readCalls`. */
  private async find(
    { principal, ...caller }: Caller,
    id: string,
  ): Promise<{ held: HeldRun; isOwn: boolean } | { kind: 'not_found' } | Unavailable> {
    const runId = RunId.safeParse(id);
    if (!runId.success) return { kind: 'not_found' };
    const found = await this.parts.runs.read(principal.tenant, runId.data);
    if (found.kind !== 'found') return found;
    const { held } = found;
    if (mayUse(principal, held)) return { held, isOwn: true };
    const question = { kind: 'admin', action: 'readCalls' } as const;
    const allowance = await this.parts.access.may({ principal, ...caller }, question);
    if (allowance.kind === 'unavailable') return allowance;
    return allowance.kind === 'allowed' ? { held, isOwn: false } : { kind: 'not_found' };
  }

  private async change(
    caller: Caller,
    id: string,
    change: {
      readonly action: string;
      /** Undefined: nothing is to be changed. */
      apply(held: HeldRun, status: RunStatus): StoredRun | RunAnswer | undefined;
    },
  ): Promise<RunAnswer> {
    for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
      const found = await this.find(caller, id);
      if (!('held' in found)) return found;
      const { held, isOwn } = found;
      const next = change.apply(held, statusOf(held, this.parts.clock.now()));
      if (next === undefined) return this.parts.views.of(caller, held);
      if ('kind' in next) return next;
      const receipt = isOwn ? {} : { receipt: this.receiptOf(caller, change.action, held) };
      const keptUntil = next.expires_at + keptAfterMs;
      const written = await this.parts.runs.put({
        run: next,
        ifRevision: held.revision,
        keptUntil,
        ...receipt,
      });
      if (written.kind === 'unavailable') return written;
      if (written.kind === 'written') return this.parts.views.of(caller, written.held);
    }
    return { kind: 'unavailable', cause: 'run_contended' };
  }

  private receiptOf({ principal }: Caller, action: string, { run }: HeldRun): ReceiptBody {
    const whose = principalId(run.owner.principal);
    return this.parts.receipt(principal, `run.${action} ${run.run_id} of ${whose}`);
  }
}

function narrowedRun(held: HeldRun, scopes: RunPatch['scopes']): StoredRun | RunAnswer {
  const { run } = held;
  const next: StoredRun = {
    ...run,
    scopes: {
      ...run.scopes,
      ...(scopes.conversation && { conversation: { ...run.scopes.conversation, ...scopes.conversation } }),
      ...(scopes.turn && { turn: { ...run.scopes.turn, ...scopes.turn } }),
    },
  };
  const before = ownEffective(held);
  const after = ownEffective({ ...held, run: { ...next, asks_always: false } });
  const member = widenedMember(before, after);
  if (member !== undefined) return { kind: 'widened', member };
  return { ...next, asks_always: before.asks && !after.asks };
}

/** Injection token of the RunDesk. */
export const RUN_DESK = Symbol('uar.gateway.run-desk');
