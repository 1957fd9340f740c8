import { Client } from '@modelcontextprotocol/sdk/client';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import type { LogLevel } from '@uar/contracts';
import { JsonText, memberText, withMeta } from '@uar/json-text';
import { z } from 'zod';
import type { ClientSide } from '../domain/client-side.js';
import type {
  CallEnd,
  ListName,
  ListPage,
  Loss,
  Offers,
  Upstream,
  UpstreamCall,
} from '../domain/upstream.js';
import { endOfFailure, endOfProblem, type Words } from './call-end.js';
import { RawMember, RawResult, RequestProblem } from './frames/frame.js';
import { TimeLimit } from './asked/time-limit.js';
import { lists, pageIn } from './lists.js';
import { AuthRequired, NotSent } from './not-sent.js';
import { withOwnSignal } from './own-signal.js';
import { ProgressTap } from './progress-tap.js';

export interface McpUpstreamOptions extends Words {
  readonly transport: Transport;
  /** Why the connection ended, as far as the transport knows. */
  readonly explainLoss: () => Promise<string>;
  readonly client: ClientSide;
  readonly onToolsChanged: () => void;
  readonly onUnreachable: () => void;
}

const initializeTimeoutMs = 30_000;
const pageTimeoutMs = 15_000;
const setLevelTimeoutMs = 5_000;

/** One for all clients: each builds its own otherwise, which costs 0.85 ms. No schema of an upstream is compiled here. */
const jsonSchemaValidator = new AjvJsonSchemaValidator();
const rawResult = z.custom<RawResult>((value) => value instanceof RawResult);

/** An upstream behind the SDK's client, which answers pings and refuses whatever else the upstream asks and no client is asked. */
export class McpUpstream implements Upstream {
  readonly lost: Promise<Loss>;
  private readonly client: Client;
  private readonly transport: ProgressTap;
  private authRequired = false;
  private late = 0;

  constructor(private readonly options: McpUpstreamOptions) {
    const { capabilities } = options.client;
    this.client = new Client({ name: 'uar', version: '0.1.0' }, { capabilities, jsonSchemaValidator });
    this.transport = new ProgressTap(options.transport, options);
    this.lost = new Promise((resolve) => {
      this.client.onclose = () => {
        void options.explainLoss().then((message) => resolve({ message, authRequired: this.authRequired }));
      };
    });
    this.client.onerror = (error) => {
      if (error.message.startsWith('Received a response for an unknown message ID')) this.late += 1;
    };
  }

  /** Answers that came after their call had ended: dropped (C4). */
  get lateAnswers(): number {
    return this.late;
  }

  /** Requests of the upstream that got no answer, because too many waited for one. */
  get ignoredRequests(): number {
    return this.transport.ignoredRequests;
  }

  get revision(): string {
    return this.transport.revision;
  }

  /** Rejects with `AuthRequired`, or whatever else went wrong. */
  async initialize(signal: AbortSignal): Promise<void> {
    await withOwnSignal(signal, (own) =>
      this.client.connect(this.transport, { timeout: initializeTimeoutMs, signal: own.signal }),
    );
  }

  get offers(): Offers {
    const { logging, resources, prompts } = this.client.getServerCapabilities() ?? {};
    return {
      logging: logging !== undefined,
      resourcesChange: resources?.listChanged === true,
      promptsChange: prompts?.listChanged === true,
    };
  }

  async listPage(list: ListName, cursor: string | undefined, signal: AbortSignal): Promise<ListPage> {
    const { method, capability } = lists[list];
    if (this.client.getServerCapabilities()?.[capability] === undefined)
      return { kind: 'page', definitions: [] };
    try {
      const { text } = await withOwnSignal(signal, (own) =>
        this.client.request({ method, ...(cursor === undefined ? {} : { params: { cursor } }) }, rawResult, {
          timeout: pageTimeoutMs,
          signal: own.signal,
        }),
      );
      return pageIn(text, list);
    } catch (error) {
      this.note(error);
      return { kind: 'failed', message: `${method} failed: ${this.words(error)}` };
    }
  }

  async call(call: UpstreamCall): Promise<CallEnd> {
    if (call.signal.aborted) return { kind: 'cancelled', dispatched: false };
    if (this.client.transport === undefined)
      return { kind: 'unavailable', message: 'the server is not connected' };
    const token = call.onProgress === undefined ? undefined : this.transport.listen(call.onProgress);
    try {
      const { text } = await this.requested(call, paramsOf(call, token));
      const bytes = Buffer.byteLength(text);
      if (bytes > call.maxResultBytes) return { kind: 'result_too_large', bytes };
      const isError = call.method === 'tools/call' && memberText(text, 'isError') === 'true';
      return { kind: 'ran', result_json: text, is_error: isError };
    } catch (error) {
      this.note(error);
      return this.withLacking(call, this.endOf(error, call.signal));
    } finally {
      if (token !== undefined) this.transport.unlisten(token);
      if (call.callId !== undefined) this.transport.ended(call.callId);
    }
  }

  private async requested(
    { method, callId, timeoutMs, signal }: UpstreamCall,
    params: Record<string, unknown>,
  ): Promise<RawResult> {
    const sent = this.transport.request({ method, params }, callId);
    const limit = new TimeLimit(timeoutMs, () => sent.cancel('timed out'));
    if (callId !== undefined) this.transport.limit(callId, limit);
    const cancel = (): void => sent.cancel(signal.reason);
    signal.addEventListener('abort', cancel);
    try {
      return await sent.result;
    } finally {
      signal.removeEventListener('abort', cancel);
      limit.end();
    }
  }

  async setLogLevel(level: LogLevel): Promise<void> {
    const request = { method: 'logging/setLevel', params: { level } } as const;
    await this.client
      .request(request, z.unknown(), { timeout: setLevelTimeoutMs })
      .catch((error: unknown) => this.note(error));
  }

  async ping(timeoutMs: number): Promise<boolean> {
    try {
      await this.client.request({ method: 'ping' }, z.unknown(), { timeout: timeoutMs });
      return true;
    } catch (error) {
      this.note(error);
      return error instanceof McpError && problemOf(error)?.kind === 'upstream_error';
    }
  }

  async close(): Promise<void> {
    await this.transport.close();
  }

  private withLacking({ callId }: UpstreamCall, end: CallEnd): CallEnd {
    if (end.kind !== 'upstream_error' || callId === undefined) return end;
    const lacking = this.transport.lackingOf(callId);
    return lacking.length === 0 ? end : { ...end, lacking: [...lacking] };
  }

  private endOf(error: unknown, signal: AbortSignal): CallEnd {
    const failed = endOfFailure(error, this.options);
    if (failed !== undefined) return failed;
    if (signal.aborted) return { kind: 'cancelled', dispatched: true };
    if (!(error instanceof McpError)) throw error;
    const problem = problemOf(error);
    if (problem !== undefined) return endOfProblem(problem, this.options);
    if (error.code === Number(ErrorCode.RequestTimeout)) return { kind: 'timeout' };
    return { kind: 'transport_failure', message: 'the connection ended during the call' };
  }

  /** What a failure says of the connection as a whole: nobody there, or other credentials needed. */
  private note(error: unknown): void {
    if (error instanceof NotSent) this.options.onUnreachable();
    if (!(error instanceof AuthRequired) || error.isOfOneCaller) return;
    this.authRequired = true;
    void this.close();
  }

  private words(error: unknown): string {
    const problem = error instanceof McpError ? problemOf(error) : undefined;
    if (problem?.kind === 'upstream_error') return this.options.scrub(`${problem.message} (${problem.code})`);
    if (problem !== undefined)
      return problem.kind === 'result_too_large' ? 'the answer is too large' : problem.message;
    return this.options.scrub(error instanceof Error ? error.message : String(error));
  }
}

function paramsOf({ params }: UpstreamCall, token: number | undefined): Record<string, unknown> {
  if (params instanceof JsonText)
    return new RawMember(
      token === undefined ? params.text : withMeta(params.text, 'progressToken', String(token)),
    );
  return { ...params, ...(token === undefined ? {} : { _meta: { progressToken: token } }) };
}

export function problemOf(error: McpError): RequestProblem['problem'] | undefined {
  return error.data instanceof RequestProblem ? error.data.problem : undefined;
}
