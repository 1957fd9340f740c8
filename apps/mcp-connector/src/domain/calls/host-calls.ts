import type { CallId, HostAnswer, HostCall, HostItemRequest } from '@uar/contracts';
import type { Fleet } from '../fleet.js';
import type { Connection } from '../link/connection.js';
import type { ServerLink } from '../link/server-link.js';
import { cancelledBefore, overloaded, type Place } from '../seats/place.js';
import { dispatch } from './dispatch.js';
import { itemRequest, toolRequest, type GrantedFields, type GrantedRequest } from './granted-request.js';

/** The grant is for exactly this, this host and this instance, and was not used before. Spends it. */
export type CheckGrant = (
  grant: string,
  expected: GrantedFields,
) =>
  | { readonly kind: 'valid'; readonly principal: string; readonly expiresAt: number }
  | { readonly kind: 'refused'; readonly cause: string };

/** The token that the caller came with is to be had while the request runs, if it can be read; until the returned function is called. */
export type HoldCallerToken = (ask: HostCall | HostItemRequest, principal: string) => Promise<() => void>;

export interface HostCallsOptions {
  readonly fleet: Pick<Fleet, 'find' | 'stopping'>;
  readonly checkGrant: CheckGrant;
  readonly holdCallerToken: HoldCallerToken;
  readonly onProgress: (callId: CallId, paramsJson: string) => void;
  readonly now: () => number;
}

/** What a running call is ended by: aborts by itself when nobody waits for the answer any more. */
export interface CallEndings {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}

interface Admitted {
  readonly link: ServerLink;
  readonly principal: string;
  readonly grantExpiresAt: number;
}

type Step<T> =
  { readonly kind: 'go'; readonly value: T } | { readonly kind: 'end'; readonly answer: HostAnswer };

/** Executes granted calls and other requests, each dispatched at most once (DESIGN.md 8, 10). */
export class HostCalls {
  private readonly running = new Map<string, CallEndings>();

  constructor(private readonly options: HostCallsOptions) {}

  async run(call: HostCall, endings: CallEndings): Promise<HostAnswer> {
    return await this.runRequest(toolRequest(call), endings);
  }

  async runItem(ask: HostItemRequest, endings: CallEndings): Promise<HostAnswer> {
    return await this.runRequest(itemRequest(ask), endings);
  }

  /** False: no such call runs here. */
  cancel(callId: string): boolean {
    const running = this.running.get(callId);
    running?.abort('cancelled');
    return running !== undefined;
  }

  private async runRequest(request: GrantedRequest, endings: CallEndings): Promise<HostAnswer> {
    const { call_id } = request.ask;
    if (this.running.has(call_id)) return { kind: 'refused', cause: 'already_running' };
    this.running.set(call_id, endings);
    try {
      const { signal } = endings;
      const admitted = await this.admit(request, signal);
      if (admitted.kind === 'end') return admitted.answer;
      return await this.withCaller(request, admitted.value, signal);
    } finally {
      this.running.delete(call_id);
    }
  }

  /** Everything that can refuse the call. The signature comes last: a refused call costs little, a grant is spent once. */
  private async admit(request: GrantedRequest, signal: AbortSignal): Promise<Step<Admitted>> {
    const { tenant, server, grant } = request.ask;
    if (this.options.fleet.stopping) return end({ kind: 'unavailable', message: 'the host is stopping' });
    const link = this.options.fleet.find(tenant, server);
    if (link === undefined) return end({ kind: 'not_owner' });
    const connection = await link.connection(signal);
    const problem = connectionProblem(request, { link, connection }, signal);
    if (problem !== undefined) return end(problem);
    const cause = request.textProblem();
    if (cause !== undefined) return end({ kind: 'refused', cause });
    const checked = this.options.checkGrant(grant, request.granted);
    if (checked.kind === 'refused') return end({ kind: 'refused', cause: checked.cause });
    const { principal, expiresAt: grantExpiresAt } = checked;
    return { kind: 'go', value: { link, principal, grantExpiresAt } };
  }

  private async withCaller(
    request: GrantedRequest,
    admitted: Admitted,
    signal: AbortSignal,
  ): Promise<HostAnswer> {
    if (request.ask.caller_token === undefined) return await this.execute(request, admitted, signal);
    const letGo = await this.options.holdCallerToken(request.ask, admitted.principal);
    try {
      return await this.execute(request, admitted, signal);
    } finally {
      letGo();
    }
  }

  /** In a slot of the connection that is the present one then: a call may outwait a reconnect, never a grant. */
  private async execute(
    request: GrantedRequest,
    admitted: Admitted,
    signal: AbortSignal,
  ): Promise<HostAnswer> {
    const { link } = admitted;
    for (;;) {
      const taken = await link.slots.take(signal);
      if (taken === 'full') return overloaded;
      if (taken === 'aborted') return cancelledBefore;
      try {
        const connection = link.present;
        const problem = this.lateProblem(request, admitted, connection);
        if (problem !== undefined) return problem;
        if (connection !== undefined) return await this.executeAt(connection, { request, admitted, signal });
      } finally {
        link.slots.release();
      }
      const problem = connectionProblem(request, { link, connection: await link.connection(signal) }, signal);
      if (problem !== undefined) return problem;
    }
  }

  /** What changed while the call waited. */
  private lateProblem(
    request: GrantedRequest,
    { grantExpiresAt }: Admitted,
    connection: Connection | undefined,
  ): HostAnswer | undefined {
    if (grantExpiresAt <= this.options.now()) return { kind: 'refused', cause: 'expired' };
    return connection === undefined ? undefined : request.listProblem(connection.list);
  }

  /** In the place of its principal, which may have to be made first. */
  private async executeAt(
    connection: Connection,
    { request, admitted, signal }: { request: GrantedRequest; admitted: Admitted; signal: AbortSignal },
  ): Promise<HostAnswer> {
    const { link, principal } = admitted;
    const placed = await link.place(connection, { principal, seat: request.ask.seat }, signal);
    if (placed.kind !== 'placed') return placed;
    try {
      if (signal.aborted) return cancelledBefore;
      const problem = this.lateProblem(request, admitted, connection);
      return problem ?? (await this.dispatch(request, link, { connection, place: placed.place, signal }));
    } finally {
      placed.place.leave();
    }
  }

  private async dispatch(
    request: GrantedRequest,
    link: ServerLink,
    {
      connection,
      place,
      signal,
    }: { readonly connection: Connection; readonly place: Place; readonly signal: AbortSignal },
  ): Promise<HostAnswer> {
    const { call_id: callId } = request.ask;
    const start = this.options.now();
    const onProgress = (paramsJson: string): void => this.options.onProgress(callId, paramsJson);
    const answer = await dispatch(request, place, {
      signal,
      definition: connection.list.tools.get(request.granted.raw_name)?.definition,
      ...(request.wantsProgress ? { onProgress } : {}),
    });
    if (answer.kind === 'ran' || answer.kind === 'upstream_error') link.answered(this.options.now() - start);
    return answer;
  }
}

function end(answer: HostAnswer): Step<never> {
  return { kind: 'end', answer };
}

function connectionProblem(
  request: GrantedRequest,
  { link, connection }: { readonly link: ServerLink; readonly connection: Connection | undefined },
  signal: AbortSignal,
): HostAnswer | undefined {
  if (signal.aborted) return cancelledBefore;
  if (connection === undefined) {
    const { status } = link.report();
    const cause = status === 'auth_required' ? ({ cause: status } as const) : {};
    return { kind: 'unavailable', message: 'the server is not connected', ...cause };
  }
  return request.listProblem(connection.list);
}
