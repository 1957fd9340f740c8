import type { Principal, RunId } from '@uar/contracts';

/** Which runs live in this gateway, and whose they are. Every MCP session is a run; a call without one has an implicit run. */
export interface Runs {
  /** The run of calls that name none: the same for the same principal, for ever. */
  implicit(principal: Principal): RunId;
  /** A new run of this principal. */
  open(principal: Principal): RunId;
  close(runId: RunId): void;
  /** The principal's own live run of this id; undefined for every other text. */
  own(principal: Principal, runId: string): RunId | undefined;
}

/** Injection token of the Runs. */
export const RUNS = Symbol('uar.gateway.runs');
