import { z } from 'zod';

export const Effect = z.enum(['ran', 'did_not_run', 'may_have_run']);
export type Effect = z.output<typeof Effect>;

export const Outcome = z.enum([
  'completed',
  'tool_error',
  'upstream_error',
  'unknown_tool',
  'invalid_arguments',
  'run_denied',
  'capability_denied',
  'policy_denied',
  'quarantined',
  'approval_rejected',
  'approval_timeout',
  'cancelled',
  'channel_closed',
  'rate_limited',
  'overloaded',
  'unavailable',
  'timeout',
  'transport_failure',
  'cancelled_after_dispatch',
  'result_too_large',
  'internal_fault',
]);
export type Outcome = z.output<typeof Outcome>;

/** How an MCP client sees an outcome: the tool's own result, a result with `isError`, a JSON-RPC error, or nothing at all. */
export type McpForm =
  | { readonly kind: 'result' }
  | { readonly kind: 'error_result' }
  | { readonly kind: 'json_rpc_error'; readonly code: number }
  | { readonly kind: 'silent' };

export interface OutcomeRow {
  readonly meaning: string;
  readonly effect: Effect;
  readonly http: number;
  readonly mcp: McpForm;
  /** The fixed text a caller reads. Names nothing (no tool, policy, server or principal). */
  readonly text: string;
}

const denied = { kind: 'error_result' } as const;
const silent = { kind: 'silent' } as const;

/** DESIGN.md 3 as data: docs/outcomes.md, HTTP status, MCP form and effect all come from here. */
export const outcomes: Readonly<Record<Outcome, OutcomeRow>> = {
  completed: {
    meaning: 'ran, good result',
    effect: 'ran',
    http: 200,
    mcp: { kind: 'result' },
    text: 'The call completed.',
  },
  tool_error: {
    meaning: 'ran, the tool says it failed (`isError`)',
    effect: 'ran',
    http: 200,
    mcp: { kind: 'result' },
    text: 'The tool ran and reports an error.',
  },
  upstream_error: {
    meaning: 'dispatched, the upstream answered a JSON-RPC error or an invalid result',
    effect: 'may_have_run',
    http: 502,
    mcp: { kind: 'json_rpc_error', code: -32603 },
    text: 'The upstream answered with an error.',
  },
  unknown_tool: {
    meaning: 'not in what this caller may discover',
    effect: 'did_not_run',
    http: 404,
    mcp: { kind: 'json_rpc_error', code: -32602 },
    text: 'There is no tool of this name for you.',
  },
  invalid_arguments: {
    meaning: 'arguments do not fit the schema',
    effect: 'did_not_run',
    http: 400,
    mcp: denied,
    text: 'The arguments do not fit the input schema of the tool.',
  },
  run_denied: {
    meaning: "outside the run's effective set",
    effect: 'did_not_run',
    http: 403,
    mcp: denied,
    text: 'This run may not use the tool.',
  },
  capability_denied: {
    meaning: "principal or run lacks the tool's capability",
    effect: 'did_not_run',
    http: 403,
    mcp: denied,
    text: 'You lack a capability that the tool needs.',
  },
  policy_denied: {
    meaning: 'Cedar says no, no permit, or a policy erred',
    effect: 'did_not_run',
    http: 403,
    mcp: denied,
    text: 'Policy does not allow this call.',
  },
  quarantined: {
    meaning: "the tool's definition changed or was flagged and awaits review, or a reviewer rejected it",
    effect: 'did_not_run',
    http: 403,
    mcp: denied,
    text: 'The definition of the tool awaits review or was rejected: it cannot be called.',
  },
  approval_rejected: {
    meaning: 'an approver said no',
    effect: 'did_not_run',
    http: 403,
    mcp: denied,
    text: 'An approver rejected the call.',
  },
  approval_timeout: {
    meaning: 'nobody decided in time',
    effect: 'did_not_run',
    http: 409,
    mcp: denied,
    text: 'Nobody decided about the call in time.',
  },
  cancelled: {
    meaning: 'the caller cancelled before dispatch',
    effect: 'did_not_run',
    http: 409,
    mcp: silent,
    text: 'The call was cancelled before it ran.',
  },
  channel_closed: {
    meaning: 'whoever waited for the approval is gone',
    effect: 'did_not_run',
    http: 409,
    mcp: silent,
    text: 'Nobody waits for the call any more.',
  },
  rate_limited: {
    meaning: 'a limit was reached',
    effect: 'did_not_run',
    http: 429,
    mcp: denied,
    text: 'A limit was reached; try again later.',
  },
  overloaded: {
    meaning: 'a bounded queue is full',
    effect: 'did_not_run',
    http: 503,
    mcp: denied,
    text: 'Too much is waiting; try again later.',
  },
  unavailable: {
    meaning: 'host, upstream, PDP or ledger not there; nothing was sent',
    effect: 'did_not_run',
    http: 503,
    mcp: denied,
    text: 'A part that the call needs is not available; nothing was sent.',
  },
  timeout: {
    meaning: 'dispatched, no answer within the deadline',
    effect: 'may_have_run',
    http: 504,
    mcp: denied,
    text: 'No answer came in time; the tool may have run.',
  },
  transport_failure: {
    meaning: 'the transport broke after dispatch',
    effect: 'may_have_run',
    http: 502,
    mcp: denied,
    text: 'The connection broke during the call; the tool may have run.',
  },
  cancelled_after_dispatch: {
    meaning: 'the caller cancelled after dispatch',
    effect: 'may_have_run',
    http: 409,
    mcp: silent,
    text: 'The call was cancelled after dispatch; the tool may have run.',
  },
  result_too_large: {
    meaning: 'ran, result over the cap',
    effect: 'ran',
    http: 502,
    mcp: denied,
    text: 'The tool ran, but its result is larger than the cap.',
  },
  internal_fault: {
    meaning: 'our bug, with a `fault_id` and nothing else',
    effect: 'may_have_run',
    http: 500,
    mcp: { kind: 'json_rpc_error', code: -32603 },
    text: 'Something in the tool plane broke.',
  },
};

export function effectOf(outcome: Outcome): Effect {
  return outcomes[outcome].effect;
}
