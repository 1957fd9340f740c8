import type { HostAnswer, HostCall } from '@uar/contracts';
import { JsonText, argumentsDigest, compact, scanJson } from '@uar/json-text';
import type { Fleet } from './fleet.js';
import type { Connection } from './link/connection.js';
import type { ServerLink } from './link/server-link.js';
import type { ListedTool } from './tools/tool-list.js';
import type { Upstream } from './upstream.js';

/** The grant is for exactly this call, this host and this instance, and was not used before. Spends it. */
export type CheckGrant = (
  call: HostCall,
  argumentsDigest: string,
) =>
  | { readonly kind: 'valid'; readonly expiresAt: number }
  | { readonly kind: 'refused'; readonly cause: string };

export interface HostCallsOptions {
  readonly fleet: Pick<Fleet, 'find' | 'stopping'>;
  readonly checkGrant: CheckGrant;
  readonly onProgress: (callId: HostCall['call_id'], paramsJson: string) => void;
  readonly now: () => number;
}

/** What a running call is ended by: aborts by itself when nobody waits for the answer any more. */
export interface CallEndings {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}

interface Admitted {
  readonly link: ServerLink;
  readonly grantExpiresAt: number;
}

type Step<T> =
  { readonly kind: 'go'; readonly value: T } | { readonly kind: 'end'; readonly answer: HostAnswer };

const cancelledBefore: HostAnswer = { kind: 'cancelled', dispatched: false };
const retryAfterMs = 1_000;

/** Executes granted calls, each dispatched at most once (DESIGN.md 8, 10). */
export class HostCalls {
  private readonly running = new Map<string, CallEndings>();

  constructor(private readonly options: HostCallsOptions) {}

  async run(call: HostCall, endings: CallEndings): Promise<HostAnswer> {
    if (this.running.has(call.call_id)) return { kind: 'refused', cause: 'already_running' };
    this.running.set(call.call_id, endings);
    try {
      const { signal } = endings;
      const admitted = await this.admit(call, signal);
      if (admitted.kind === 'end') return admitted.answer;
      return await this.execute(call, admitted.value, signal);
    } finally {
      this.running.delete(call.call_id);
    }
  }

  /** False: no such call runs here. */
  cancel(callId: string): boolean {
    const running = this.running.get(callId);
    running?.abort('cancelled');
    return running !== undefined;
  }

  /** Everything that can refuse the call. The signature comes last: a refused call costs little, a grant is spent once. */
  private async admit(call: HostCall, signal: AbortSignal): Promise<Step<Admitted>> {
    if (this.options.fleet.stopping) return end({ kind: 'unavailable', message: 'the host is stopping' });
    const link = this.options.fleet.find(call.tenant, call.server);
    if (link === undefined) return end({ kind: 'not_owner' });
    const connection = await link.connection(signal);
    const problem = connectionProblem(call, connection, signal);
    if (problem !== undefined) return end(problem);
    const scan = scanJson(call.arguments_json, { duplicates: 'last_wins' });
    if (scan.kind === 'bad' || scan.rootKind !== 'object')
      return end({ kind: 'refused', cause: 'malformed_arguments' });
    const grant = this.options.checkGrant(call, argumentsDigest(call.arguments_json));
    if (grant.kind === 'refused') return end({ kind: 'refused', cause: grant.cause });
    return { kind: 'go', value: { link, grantExpiresAt: grant.expiresAt } };
  }

  /** In a slot of the connection that is the present one then: a call may outwait a reconnect, never a grant. */
  private async execute(call: HostCall, admitted: Admitted, signal: AbortSignal): Promise<HostAnswer> {
    const { link } = admitted;
    for (;;) {
      const taken = await link.slots.take(signal);
      if (taken === 'full') return { kind: 'overloaded', retry_after_ms: retryAfterMs };
      if (taken === 'aborted') return cancelledBefore;
      try {
        const connection = link.present;
        const problem = this.lateProblem(call, admitted, connection);
        if (problem !== undefined) return problem;
        if (connection !== undefined)
          return await this.dispatch(call, link, { upstream: connection.upstream, signal });
      } finally {
        link.slots.release();
      }
      const problem = connectionProblem(call, await link.connection(signal), signal);
      if (problem !== undefined) return problem;
    }
  }

  /** What changed while the call waited for its slot. */
  private lateProblem(
    call: HostCall,
    { grantExpiresAt }: Admitted,
    connection: Connection | undefined,
  ): HostAnswer | undefined {
    if (grantExpiresAt <= this.options.now()) return { kind: 'refused', cause: 'expired' };
    return connection === undefined ? undefined : toolProblem(call, connection.list.tools.get(call.raw_name));
  }

  private async dispatch(
    call: HostCall,
    link: ServerLink,
    { upstream, signal }: { readonly upstream: Upstream; readonly signal: AbortSignal },
  ): Promise<HostAnswer> {
    const start = this.options.now();
    const answer = await upstream.call({
      rawName: call.raw_name,
      arguments: new JsonText(compact(call.arguments_json)),
      timeoutMs: call.timeout_ms,
      maxResultBytes: call.max_result_bytes,
      signal,
      ...(call.wants_progress
        ? { onProgress: (paramsJson: string) => this.options.onProgress(call.call_id, paramsJson) }
        : {}),
    });
    if (answer.kind === 'ran' || answer.kind === 'upstream_error') link.answered(this.options.now() - start);
    return answer;
  }
}

function end(answer: HostAnswer): Step<never> {
  return { kind: 'end', answer };
}

function connectionProblem(
  call: HostCall,
  connection: Connection | undefined,
  signal: AbortSignal,
): HostAnswer | undefined {
  if (signal.aborted) return cancelledBefore;
  if (connection === undefined) return { kind: 'unavailable', message: 'the server is not connected' };
  return toolProblem(call, connection.list.tools.get(call.raw_name));
}

function toolProblem(call: HostCall, tool: ListedTool | undefined): HostAnswer | undefined {
  if (tool === undefined) return { kind: 'unavailable', message: 'the server does not serve this tool now' };
  if (tool.digest !== call.definition_digest) return { kind: 'refused', cause: 'definition_changed' };
  return undefined;
}
