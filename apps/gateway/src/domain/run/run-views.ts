import {
  Capability,
  agentOf,
  type Caller,
  type EffectiveView,
  type Principal,
  type RunId,
  type RunStatus,
  type RunView,
  type ScopeWarning,
} from '@uar/contracts';
import type { Clock, Unavailable } from '../call/ports.js';
import type { EffectiveCatalog, EffectiveList } from '../catalog/effective-catalog.js';
import { canRunNothing, leavesServer, toolApprovalOf, type EffectiveRun } from './effective-run.js';
import type { HeldRun } from './ports.js';
import { mayUse, statusOf } from './run-frames.js';
import { inRun, type Runs } from './runs.js';
import { knownIds, scopeWarnings } from './scope-warnings.js';
import { throughAgent } from './through-agent.js';

type Viewed = { readonly kind: 'run'; readonly view: RunView } | Unavailable;

const nothing: EffectiveView = { tools: [], mcp_servers: [], tool_approval: 'deny', capabilities: [] };
const noLists: Unavailable = { kind: 'unavailable', cause: 'lists_unavailable' };

/** Runs as their owner meets them now: what scopes, catalog and policy leave at this moment. */
export class RunViews {
  constructor(
    private readonly parts: {
      readonly frames: Runs;
      readonly catalog: EffectiveCatalog;
      readonly clock: Pick<Clock, 'now'>;
    },
  ) {}

  async of(viewer: Caller, held: HeldRun): Promise<Viewed> {
    const { run } = held;
    const status = statusOf(held, this.parts.clock.now());
    const owner = throughAgent(mayUse(viewer.principal, held) ? viewer : ownerOf(held), run.agent_id);
    const facts = { runId: run.run_id, status, agentId: run.agent_id, conversationId: run.conversation_id };
    if (status !== 'active')
      return { kind: 'run', view: viewOf(facts, { effective: nothing, warnings: [] }) };
    const all = await this.parts.catalog.discoverable(owner);
    if (all.kind !== 'listed') return noLists;
    const known = knownIds(all);
    const warnings = [
      ...scopeWarnings('conversation.', run.scopes.conversation, known),
      ...scopeWarnings('turn.', run.scopes.turn, known),
    ];
    return this.entered(owner, facts, { all, warnings });
  }

  async ofImplicit(caller: Caller): Promise<Viewed> {
    const all = await this.parts.catalog.discoverable(caller);
    if (all.kind !== 'listed') return noLists;
    const runId = this.parts.frames.implicit(caller.principal);
    const facts = { runId, status: 'active', agentId: agentOf(caller.principal) } as const;
    return this.entered(caller, facts, { all, warnings: [] });
  }

  /** A run whose agent is gone is still a run; it serves nothing. */
  private async entered(
    caller: Caller,
    facts: RunFacts,
    { all, warnings }: { readonly all: EffectiveList; readonly warnings: readonly ScopeWarning[] },
  ): Promise<Viewed> {
    const met = await this.parts.frames.enter(caller, facts.runId);
    if (met.kind === 'unavailable') return met;
    if (met.kind === 'denied') return { kind: 'run', view: viewOf(facts, { effective: nothing, warnings }) };
    const list = await this.parts.catalog.list(inRun(caller, met.frame), facts.runId);
    if (list.kind === 'unavailable') return noLists;
    const { effective } = met.frame;
    return {
      kind: 'run',
      view: viewOf(facts, {
        effective: {
          tools: list.kind === 'listed' ? list.entries.map(({ entry }) => entry.name) : [],
          mcp_servers: serversOf(effective, all),
          tool_approval: toolApprovalOf(effective),
          capabilities: capabilitiesOf(effective, caller.principal),
        },
        warnings: [...warnings, ...deadEnd(effective)],
      }),
    };
  }
}

interface RunFacts {
  readonly runId: RunId;
  readonly status: RunStatus;
  readonly agentId?: string | undefined;
  readonly conversationId?: string | undefined;
}

function viewOf(
  { runId, status, agentId, conversationId }: RunFacts,
  { effective, warnings }: { readonly effective: EffectiveView; readonly warnings: readonly ScopeWarning[] },
): RunView {
  return {
    run_id: runId,
    status,
    ...(agentId === undefined ? {} : { agent_id: agentId }),
    ...(conversationId === undefined ? {} : { conversation_id: conversationId }),
    effective,
    warnings: [...warnings],
    events_url: `/api/uar/runs/${runId}/events`,
  };
}

function ownerOf({ run }: HeldRun): Caller {
  return { ...run.owner, run_id: run.run_id, session_id: run.run_id };
}

function serversOf(run: EffectiveRun, { entries }: EffectiveList): string[] {
  if (canRunNothing(run)) return [];
  const servers = new Set(entries.map(({ entry }) => entry.facts.server));
  return [...servers].filter((server) => leavesServer(run, server)).sort();
}

function capabilitiesOf(run: EffectiveRun, principal: Principal): Capability[] {
  const holds = (held: readonly Capability[] | undefined, one: Capability) => held?.includes(one) ?? true;
  return Capability.options.filter(
    (one) => holds(run.capabilities, one) && holds(principal.capabilities, one),
  );
}

function deadEnd(run: EffectiveRun): ScopeWarning[] {
  if (!canRunNothing(run)) return [];
  const message = 'one scope asks a human about every call and another one lets nobody be asked';
  return [{ code: 'nothing_can_run', message }];
}
