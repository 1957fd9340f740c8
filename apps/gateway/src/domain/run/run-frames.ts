import { hash } from 'node:crypto';
import {
  agentOf,
  RunId,
  principalId,
  type Caller,
  type Principal,
  type RunStatus,
  type StoredRun,
} from '@uar/contracts';
import type { Clock, Unavailable } from '../call/ports.js';
import { effectiveRun, leaves, limitsOf, type EffectiveRun, type ScopedTool } from './effective-run.js';
import type { FoundRun, HeldRun, RunStore, ScopeBook } from './ports.js';
import type { Entered, RunDenial, RunFrame, Runs } from './runs.js';

interface Outer {
  readonly policy: ReturnType<ScopeBook['policy']>;
  readonly agent: ReturnType<ScopeBook['agent']>;
  readonly effective: EffectiveRun;
}

type OuterScopes = { readonly kind: 'outer'; readonly effective: EffectiveRun } | Denied | Unavailable;
type Denied = { readonly kind: 'denied'; readonly cause: RunDenial };

const mostOuters = 10_000;

/** Every run with its scopes as they stand at the moment somebody enters it: nothing of them is copied into a run. */
export class RunFrames implements Runs {
  private readonly implicitOf = new WeakMap<Principal, RunId>();
  private readonly outers = new Map<string, Outer>();
  private readonly effectives = new WeakMap<HeldRun, { outer: EffectiveRun; effective: EffectiveRun }>();

  constructor(
    private readonly parts: {
      readonly runs: RunStore;
      readonly scopes: ScopeBook;
      readonly clock: Pick<Clock, 'now'>;
    },
  ) {}

  implicit(principal: Principal): RunId {
    const known = this.implicitOf.get(principal);
    if (known !== undefined) return known;
    const made = RunId.parse(`run_${hash('sha256', implicitSeed(principal), 'hex').slice(0, 32)}`);
    this.implicitOf.set(principal, made);
    return made;
  }

  enter(caller: Caller, named?: string): Entered | Promise<Entered> {
    const runId = this.runIdOf(caller, named);
    if (runId === undefined) return denied('not_its_run');
    const { principal } = caller;
    if (runId === this.implicit(principal)) return this.enterImplicit(principal);
    const found = this.parts.runs.find(principal.tenant, runId);
    return found instanceof Promise
      ? found.then((it) => this.admit(principal, it))
      : this.admit(principal, found);
  }

  lost(caller: Caller, tool: ScopedTool): RunDenial | 'not_in_run' | undefined {
    const { principal, run_id: runId } = caller;
    const entered =
      runId === this.implicit(principal) ? this.enterImplicit(principal) : this.lookIn(principal, runId);
    if (entered === undefined || entered.kind === 'unavailable') return undefined;
    if (entered.kind === 'denied') return entered.cause;
    return leaves(entered.frame.effective, tool) ? undefined : 'not_in_run';
  }

  private runIdOf(caller: Caller, named: string | undefined): RunId | undefined {
    return named === undefined ? caller.run_id : RunId.safeParse(named).data;
  }

  private lookIn(principal: Principal, runId: RunId): Entered | undefined {
    const held = this.parts.runs.peek(principal.tenant, runId);
    return held === undefined ? undefined : this.admit(principal, { kind: 'found', held });
  }

  private enterImplicit(principal: Principal): Entered {
    const outer = this.outerOf(principal.tenant, agentOf(principal));
    return outer.kind === 'outer' ? entered({ run_id: this.implicit(principal) }, outer.effective) : outer;
  }

  private admit(principal: Principal, found: FoundRun): Entered {
    if (found.kind === 'unavailable') return found;
    if (found.kind === 'not_found' || !mayUse(principal, found.held)) return denied('not_its_run');
    const { run } = found.held;
    const outer = this.outerOf(run.tenant, run.agent_id);
    if (outer.kind !== 'outer') return outer;
    const status = statusOf(found.held, this.parts.clock.now());
    if (status !== 'active') return denied(`run_${status}`);
    return entered(run, this.effectiveOf(found.held, outer.effective));
  }

  private effectiveOf(held: HeldRun, outer: EffectiveRun): EffectiveRun {
    const known = this.effectives.get(held);
    if (known?.outer === outer) return known.effective;
    const effective = ownEffective(held, outer);
    this.effectives.set(held, { outer, effective });
    return effective;
  }

  private outerOf(tenant: string, agentId: string | undefined): OuterScopes {
    const { scopes } = this.parts;
    if (!scopes.ready) return { kind: 'unavailable', cause: 'run_scopes_unread' };
    const policy = scopes.policy(tenant);
    if (policy?.kind === 'unreadable') return denied('run_policy_unreadable');
    const agent = agentId === undefined ? undefined : scopes.agent(tenant, agentId);
    if (agentId !== undefined && agent === undefined) return denied('agent_not_registered');
    if (agent?.kind === 'unreadable') return denied('agent_unreadable');
    const key = JSON.stringify([tenant, agentId]);
    const known = this.outers.get(key);
    if (known !== undefined && known.policy === policy && known.agent === agent)
      return { kind: 'outer', effective: known.effective };
    const own = agent?.value.capabilities;
    const ceiling = own === undefined ? undefined : { capabilities: own };
    const effective = effectiveRun([policy?.value, agent?.value.scope, ceiling]);
    if (this.outers.size >= mostOuters) this.outers.clear();
    this.outers.set(key, { policy, agent, effective });
    return { kind: 'outer', effective };
  }
}

/** What the run's own scopes leave of an outer set; alone of everything. */
export function ownEffective({ run }: HeldRun, outer?: EffectiveRun): EffectiveRun {
  const effective = effectiveRun([run.scopes.conversation, run.scopes.turn], outer);
  return run.asks_always && !effective.asks ? { ...effective, asks: true } : effective;
}

export function statusOf({ run }: HeldRun, now: number): RunStatus {
  return run.status === 'active' && run.expires_at <= now ? 'expired' : run.status;
}

/** The principal itself; through an agent only where the run is that agent's. */
export function mayUse(principal: Principal, { run }: HeldRun): boolean {
  const { principal: owner } = run.owner;
  const isOwner = principalId(owner) === principalId(principal) && owner.issuer === principal.issuer;
  const agent = agentOf(principal);
  return isOwner && (agent === undefined || agent === run.agent_id);
}

function entered(
  { run_id: runId, agent_id: agentId }: Pick<StoredRun, 'run_id' | 'agent_id'>,
  effective: EffectiveRun,
): Entered {
  const limits = limitsOf(effective);
  const frame: RunFrame = {
    runId,
    effective,
    ...(agentId === undefined ? {} : { agentId }),
    ...(limits === undefined ? {} : { limits }),
  };
  return { kind: 'entered', frame };
}

function denied(cause: RunDenial): Denied {
  return { kind: 'denied', cause };
}

function implicitSeed(principal: Principal): string {
  return JSON.stringify([principalId(principal), principal.issuer, principal.agent_id ?? '']);
}
