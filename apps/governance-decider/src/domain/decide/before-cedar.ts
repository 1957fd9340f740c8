import type { CallQuestion, Caller, Capability } from '@uar/contracts';
import { deny, type CallVerdict, type DenialCause } from './verdict.js';

type Denied = Extract<CallVerdict, { kind: 'deny' }>;

/** Clocks of the identity provider and ours may differ by this much (DESIGN.md 4). */
const skewMs = 30_000;

/** What needs no policy and may be said to anybody. */
export function refusalOfPrincipal(
  { caller }: Pick<CallQuestion, 'caller'>,
  now: number,
): Denied | undefined {
  return isExpired(caller, now) ? deny('policy_denied', 'principal_expired') : undefined;
}

export function isExpired({ principal }: Caller, now: number): boolean {
  return principal.expires_at + skewMs <= now;
}

/** Resources and prompts are read; which capability is missing may be said to nobody who could not discover them. */
export function refusalOfItems({ principal, run_limits }: Caller): DenialCause | undefined {
  if (!holds(principal.capabilities, ['read'])) return 'capability_missing';
  return holds(run_limits?.capabilities, ['read']) ? undefined : 'run_capability_missing';
}

/** What needs no policy but may be said only to somebody who may discover the tool (DESIGN.md 3, stage 5). */
export function refusalOfTool(question: CallQuestion): Denied | undefined {
  const { tool, caller } = question;
  if (!tool.pinned) return deny('quarantined', 'definition_unreviewed');
  if (!holds(caller.principal.capabilities, tool.capabilities))
    return deny('capability_denied', 'capability_missing');
  return holds(caller.run_limits?.capabilities, tool.capabilities)
    ? undefined
    : deny('capability_denied', 'run_capability_missing');
}

/** Without a list one holds all. */
function holds(capabilities: readonly Capability[] | undefined, needed: readonly Capability[]): boolean {
  return capabilities === undefined || needed.every((capability) => capabilities.includes(capability));
}
