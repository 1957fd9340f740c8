import { randomBytes } from 'node:crypto';
import { ApprovalId, CallId, RunId } from '@uar/contracts';

export function newCallId(): CallId {
  return CallId.parse(`call_${randomBytes(16).toString('hex')}`);
}

export function newApprovalId(): ApprovalId {
  return ApprovalId.parse(`appr_${randomBytes(16).toString('hex')}`);
}

export function newRunId(): RunId {
  return RunId.parse(`run_${randomBytes(16).toString('hex')}`);
}

export function newFaultId(): string {
  return `fault_${randomBytes(8).toString('hex')}`;
}
