import type { Caller, Principal, RunId, RunLimits } from '@uar/contracts';
import type { Unavailable } from '../call/ports.js';
import type { EffectiveRun, ScopedTool } from './effective-run.js';
import { throughAgent } from './through-agent.js';

/** Why a run serves its caller no more. For receipts, never for callers. */
export type RunDenial =
  | 'not_its_run'
  | 'run_completed'
  | 'run_cancelled'
  | 'run_expired'
  | 'agent_not_registered'
  | 'agent_unreadable'
  | 'run_policy_unreadable';

/** A run as a call or a list meets it now. */
export interface RunFrame {
  readonly runId: RunId;
  /** Whose run it is; absent in one that no agent has. */
  readonly agentId?: string;
  /** The same object as long as no scope of the run changed. */
  readonly effective: EffectiveRun;
  /** Absent: nothing the PDP must know of. */
  readonly limits?: RunLimits;
}

export type Entered =
  | { readonly kind: 'entered'; readonly frame: RunFrame }
  | { readonly kind: 'denied'; readonly cause: RunDenial }
  | Unavailable;

/** The runs of all gateways. Every MCP session is a run; a call without one has the implicit run of its principal. */
export interface Runs {
  /** The run of calls that name none: the same for the same principal, for ever. */
  implicit(principal: Principal): RunId;
  /** The caller's run, or the one it names, with every scope as it stands now. */
  enter(caller: Caller, named?: string): Entered | Promise<Entered>;
  /** What a caller that entered has lost since, as far as this gateway knows: the run, or the tool in it. */
  lost(caller: Caller, tool: ScopedTool): RunDenial | 'not_in_run' | undefined;
}

/** The caller as the run leaves it. */
export function inRun(caller: Caller, { runId, agentId, limits }: RunFrame): Caller {
  const { principal, channel, ip, session_id } = throughAgent(caller, agentId);
  return {
    principal,
    channel,
    ...(ip === undefined ? {} : { ip }),
    run_id: runId,
    session_id,
    ...(limits === undefined ? {} : { run_limits: limits }),
  };
}
