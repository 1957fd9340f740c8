import { randomFillSync } from 'node:crypto';
import { ApprovalId, CallId, RunId } from '@uar/contracts';

const pool = Buffer.alloc(4096);
let taken = pool.length;

/** Random hex digits out of a pool: one visit to the generator for many ids. */
function randomHex(bytes: number): string {
  if (taken + bytes > pool.length) {
    randomFillSync(pool);
    taken = 0;
  }
  taken += bytes;
  return pool.toString('hex', taken - bytes, taken);
}

/**
 * 48 bits of time, then 80 random ones (as RFC 9562 UUIDv7 does it): indexes over call ids grow at their end, so that a
 * batch of receipts touches a few pages of the ledger instead of one for each receipt.
 */
export function newCallId(now: number = Date.now()): CallId {
  return CallId.parse(`call_${now.toString(16).padStart(12, '0').slice(-12)}${randomHex(10)}`);
}

/** When a call was accepted, in epoch milliseconds, as its id says. */
export function timeOfCall(callId: CallId): number {
  return Number.parseInt(callId.slice('call_'.length, 'call_'.length + 12), 16);
}

export function newApprovalId(): ApprovalId {
  return ApprovalId.parse(`appr_${randomHex(16)}`);
}

export function newRunId(): RunId {
  return RunId.parse(`run_${randomHex(16)}`);
}

export function newFaultId(): string {
  return `fault_${randomHex(8)}`;
}
