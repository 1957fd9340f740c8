import { effectOf, type ApprovalId, type Digest, type ProfileName, type ReceiptBody } from '@uar/contracts';
import type { Ending } from '../call/ending.js';
import type { RunningCall } from '../call/running-call.js';

/** What every receipt of this gateway says besides the call's own facts. */
export interface ReceiptSetting {
  readonly profile: ProfileName;
  /** Shown where no decision says it. */
  readonly governance: 'on' | 'off';
  /** sha256 over the UTF-8 of a text. */
  digest(text: string): Digest;
}

export interface ReceiptMoment {
  readonly setting: ReceiptSetting;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** The statement that this call is about to run (DESIGN.md 11). */
export function intentOf(call: RunningCall, setting: ReceiptSetting, at: number): ReceiptBody {
  return { ...commonOf(call, setting, at), kind: 'intent' };
}

export function outcomeOf(call: RunningCall, ending: Ending, when: ReceiptMoment): ReceiptBody {
  const { setting, at } = when;
  const cause = ending.cause ?? (call.ended === undefined ? call.decision?.cause : undefined);
  return {
    ...commonOf(call, setting, at),
    kind: 'outcome',
    outcome: ending.outcome,
    effect: effectOf(ending.outcome),
    ...(ending.resultJson === undefined ? {} : { result_digest: setting.digest(ending.resultJson) }),
    ...(cause === undefined ? {} : { cause }),
  };
}

function commonOf(call: RunningCall, setting: ReceiptSetting, at: number): Omit<ReceiptBody, 'kind'> {
  const { caller, decision } = call;
  return {
    at: new Date(at).toISOString(),
    call_id: call.callId,
    run_id: caller.run_id,
    tenant: caller.principal.tenant,
    principal: call.owner.principal,
    ...(caller.principal.agent_id === undefined ? {} : { agent: caller.principal.agent_id }),
    ...aboutOf(call, setting),
    ...(call.argumentsDigest === undefined ? {} : { arguments_digest: call.argumentsDigest }),
    ...(decision === null
      ? {}
      : { policy_version: decision.policyVersion, policies: [...decision.determining] }),
    governance: decision?.governance ?? setting.governance,
    profile: setting.profile,
    ...approvalOf(call),
  };
}

/** What it is about, and where it ran. */
function aboutOf(
  { entry, proposed: { about }, target, server }: RunningCall,
  setting: ReceiptSetting,
): Pick<ReceiptBody, 'tool' | 'item' | 'host'> {
  const host =
    target === undefined
      ? {}
      : { host: { kind: target.host, id: target.instance, sandbox: server?.sandbox ?? 'unstated' } };
  if (about !== undefined) {
    const { kind, server: name, id } = about.item;
    return { item: { kind, server: name, id_digest: setting.digest(id), method: about.method }, ...host };
  }
  if (entry === undefined) return {};
  const { server: name, raw_name, definition_digest } = entry.facts;
  return { tool: { server: name, raw_name, definition_digest }, ...host };
}

function approvalOf(call: RunningCall): { approval_id?: ApprovalId } {
  return call.approval === null ? {} : { approval_id: call.approval.approval_id };
}
