import type { CallId, Digest, GrantClaims, HostAnswer, HostCall } from '@uar/contracts';
import { argumentsDigest, scanJson } from '@uar/json-text';
import type { NativeTool, Prepared, ToolEnd } from './native-tool.js';

/** Port to whoever verifies grants. A valid one is spent by being asked about. */
export interface GrantCheck {
  verify(
    grant: string,
    expected: Pick<
      GrantClaims,
      'call_id' | 'tenant' | 'method' | 'server' | 'raw_name' | 'definition_digest' | 'arguments_digest'
    >,
  ): { readonly kind: 'valid' } | { readonly kind: 'refused'; readonly cause: string };
}

export interface ServedTool {
  readonly tool: NativeTool;
  readonly digest: Digest;
}

/** The tools that are served at this moment: a family may be switched on or off at any time. */
export interface Toolbox {
  find(name: string): ServedTool | undefined;
}

export interface CallDeskOptions {
  readonly tools: Toolbox;
  readonly grants: GrantCheck;
  readonly now: () => number;
}

const maxInFlight = 64;
const retryAfterMs = 500;
/** Bounds of an argument text before it is parsed. */
const limits = { maxDepth: 64, maxNodes: 10_000 };

/** Executes granted calls and nothing else: every digest is computed here, from what is about to run. */
export class CallDesk {
  private readonly running = new Map<CallId, AbortController>();
  private closed = false;

  constructor(private readonly options: CallDeskOptions) {}

  get inFlight(): number {
    return this.running.size;
  }

  /** Takes no further calls. */
  close(): void {
    this.closed = true;
  }

  /** `deadlineAt`: epoch milliseconds after which nobody waits. */
  async run(call: HostCall, deadlineAt: number): Promise<HostAnswer> {
    if (this.closed) return { kind: 'unavailable', message: 'the host is stopping' };
    if (call.server !== 'native') return { kind: 'not_owner' };
    const served = this.options.tools.find(call.raw_name);
    if (served === undefined) return { kind: 'refused', cause: 'unknown_tool' };
    if (call.definition_digest !== served.digest) return { kind: 'refused', cause: 'definition_changed' };
    const prepared = prepare(served.tool, call.arguments_json);
    if (prepared.kind === 'bad_arguments') return { kind: 'refused', cause: 'invalid_arguments' };
    if (this.running.size >= maxInFlight) return { kind: 'overloaded', retry_after_ms: retryAfterMs };
    const timeLeftMs = Math.min(
      call.timeout_ms,
      served.tool.statement.timeout_ms,
      deadlineAt - this.options.now(),
    );
    if (timeLeftMs <= 0) return { kind: 'unavailable', message: 'the deadline has passed' };
    const grant = this.options.grants.verify(call.grant, {
      call_id: call.call_id,
      tenant: call.tenant,
      method: 'tools/call',
      server: call.server,
      raw_name: served.tool.name,
      definition_digest: served.digest,
      arguments_digest: argumentsDigest(call.arguments_json),
    });
    if (grant.kind === 'refused') return grant;
    return this.dispatch(call, prepared.run, timeLeftMs);
  }

  /** Ends a running call as soon as its tool can; what it has done by then stays done. */
  cancel(callId: CallId): boolean {
    const controller = this.running.get(callId);
    controller?.abort();
    return controller !== undefined;
  }

  private async dispatch(
    call: HostCall,
    run: (signal: AbortSignal) => Promise<ToolEnd>,
    timeoutMs: number,
  ): Promise<HostAnswer> {
    const cancelled = new AbortController();
    const late = new AbortController();
    const timer = setTimeout(() => {
      late.abort();
    }, timeoutMs);
    this.running.set(call.call_id, cancelled);
    try {
      const signal = AbortSignal.any([cancelled.signal, late.signal]);
      return resultOf(await untilAborted(run(signal), signal), call.max_result_bytes);
    } catch (error) {
      if (cancelled.signal.aborted) return { kind: 'cancelled', dispatched: true };
      if (late.signal.aborted) return { kind: 'timeout' };
      throw error;
    } finally {
      clearTimeout(timer);
      this.running.delete(call.call_id);
    }
  }
}

function prepare(tool: NativeTool, argumentsJson: string): Prepared {
  const scan = scanJson(argumentsJson, limits);
  if (scan.kind === 'bad') return { kind: 'bad_arguments', problem: scan.problem };
  return tool.prepare(JSON.parse(argumentsJson));
}

function resultOf(end: ToolEnd, maxBytes: number): HostAnswer {
  const texts = end.kind === 'said' ? end.texts : [end.text];
  const content = texts.map((text) => ({ type: 'text', text }));
  const isError = end.kind === 'failed';
  const json = JSON.stringify({ content, ...(isError ? { isError } : {}) });
  const bytes = Buffer.byteLength(json);
  if (bytes > maxBytes) return { kind: 'result_too_large', bytes };
  return { kind: 'ran', result_json: json, is_error: isError };
}

/** A file system that hangs does not listen to signals: nobody waits for it longer than the call may take. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      reject(new Error('aborted', { cause: signal.reason }));
    };
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', onAbort);
    });
  });
}
