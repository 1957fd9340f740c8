import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { jsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/types.js';
import { type Caller, LogLevel, principalId } from '@uar/contracts';
import type { JsonText } from '@uar/json-text';
import { z } from 'zod';
import type { CallHandle, CallPipeline, ProposedCall } from '../../../domain/call/proposed-call.js';
import type { Front } from '../../../domain/front/front.js';
import type { ItemDesk } from '../../../domain/item/item-desk.js';
import { emptyResult, RpcError, unavailableError } from '../calls/call-result.js';
import { type Greeting, isPrimed, type Revision } from '../revisions.js';
import { rpcCodes } from '../rpc-codes.js';
import { serverInfo } from '../server-info.js';
import type { SessionReplay } from './replay-store.js';
import { SessionClient, type SessionClientParts } from '../client/session-client.js';
import { SessionTransport } from './session-transport.js';
import { RequestMeta } from '../calls/params.js';
import { callTool } from '../calls/tool-call.js';
import { listPage, readCursor } from '../calls/list-page.js';
import { ItemAnswers } from '../items/item-answers.js';
import { type RequestExtra, sessionRequestOf } from './sdk-request.js';
import { type Answering, type SessionRequest, SessionRequests } from '../calls/session-requests.js';

/** What all sessions of this gateway share. */
export interface SessionParts extends SessionClientParts {
  readonly pipeline: CallPipeline;
  readonly items: Pick<ItemDesk, 'request' | 'mayRead'>;
  /** Milliseconds until an MCP call without a progress token gets its interim answer. */
  readonly waitLimitMs: number;
}

/** The gateway validates with its own bounded validator; the SDK's, made anew per `Server`, would cost 0.85 ms a session. */
const noValidation: jsonSchemaValidator = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
};

const capabilities = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  completions: {},
  logging: {},
};

const LevelParams = z.looseObject({ level: LogLevel, _meta: RequestMeta });

export interface SessionOpening {
  readonly caller: Caller;
  readonly front: Front;
  readonly kind: SessionKind;
  readonly replay: SessionReplay;
}

/** Streamable HTTP, or the pair of URLs of 2024-11-05 ("HTTP with SSE"): a stream with all answers, and a URL to post to. */
export type SessionKind = 'streamable' | 'pair';

/** One MCP session: a protocol instance of the SDK over a transport of ours, for one principal and one run. */
export class McpSession {
  readonly transport: SessionTransport;
  readonly owner: string;
  readonly tenant: string;
  lastUsedAt = Date.now();
  private readonly server: Server;
  private readonly answers: ReadonlyMap<string, Answering>;
  private readonly requests: SessionRequests;
  private readonly client: SessionClient;
  private readonly items: ItemAnswers;
  private readonly calls = new Set<CallHandle>();
  private ended = false;
  /** Where it was opened, and the only one where it is known. */
  readonly front: Front;
  readonly kind: SessionKind;
  private spoken: Revision | undefined;
  /** As the session was opened; each request brings its own, of the same principal. */
  private caller: Caller;

  constructor(
    readonly id: string,
    { caller, front, kind, replay }: SessionOpening,
    private readonly parts: SessionParts,
  ) {
    this.caller = caller;
    this.front = front;
    this.kind = kind;
    this.owner = principalId(caller.principal);
    this.tenant = caller.principal.tenant;
    this.transport = new SessionTransport(id, {
      replay: kind === 'streamable' ? replay : undefined,
      isPrimed: () => kind === 'streamable' && isPrimed(this.spoken ?? '2025-03-26'),
    });
    this.items = new ItemAnswers({
      ...{ front, items: parts.items },
      caller: () => this.caller,
      seat: () => this.client.seat,
    });
    this.answers = this.answersByMethod();
    this.requests = new SessionRequests({
      answers: this.answers,
      send: (message, options) => this.transport.send(message, options),
      over: (request) => this.client.over(request),
    });
    this.client = new SessionClient(this, parts, {
      ...{ transport: this.transport, front, subscriptions: this.items.subscriptions },
      relatedOf: (callId) => this.requests.find(callId),
      mayRead: (item) => parts.items.mayRead(this.caller, item),
    });
    this.transport.sessionRequests = this.requests;
    this.transport.clientRequests = this.client.requests;
    this.server = new Server(serverInfo, { capabilities, jsonSchemaValidator: noValidation });
    this.server.fallbackRequestHandler = async (request, extra) => {
      const result = await this.handle(request, extra);
      // The protocol layer hands a result on as it is; the transport writes it.
      return result as unknown as Record<string, unknown>;
    };
  }

  get runId(): Caller['run_id'] {
    return this.caller.run_id;
  }

  /** Who used it last. */
  get lastCaller(): Caller {
    return this.caller;
  }

  connect(): Promise<void> {
    return this.server.connect(this.transport);
  }

  /** Takes note of a request: roles, expiry and address are those of its own token. */
  touch(caller: Caller): void {
    this.caller = { ...caller, run_id: this.caller.run_id, session_id: this.id };
    this.lastUsedAt = Date.now();
  }

  /** Undefined before `initialize`. */
  get revision(): Revision | undefined {
    return this.spoken;
  }

  greet(greeting: Greeting): void {
    this.spoken = greeting.revision;
    this.client.greet(greeting);
  }

  /** It waits for a human, or has a request that is not answered. */
  get isBusy(): boolean {
    return this.calls.size > 0 || this.transport.isBusy;
  }

  async toolsChanged(): Promise<void> {
    if (!this.ended) await this.server.sendToolListChanged();
  }

  /** Resolves when upstreams know. Before it is closed: its run is needed. */
  endSubscriptions(): Promise<void> {
    return this.items.endSubscriptions();
  }

  /** Its calls that wait for a human end; those under way go on, unless whoever made them ends it. */
  async close(by: 'client' | 'gateway'): Promise<void> {
    this.ended = true;
    this.client.close();
    this.abandonCalls();
    if (by === 'client') for (const call of this.calls) call.cancel();
    this.requests.cancelAll();
    await this.server.close();
  }

  /** Nobody has listened for too long: the calls that still wait for a human end (DESIGN.md 9). */
  abandonCalls(): void {
    for (const call of this.calls) call.abandon();
  }

  private answersByMethod(): ReadonlyMap<string, Answering> {
    return new Map<string, Answering>([
      ...this.items.byMethod,
      ['tools/list', ({ params }) => this.listTools(params)],
      ['tools/call', (request) => this.callTool(request)],
      ['logging/setLevel', ({ params }) => this.setLevel(params)],
    ]);
  }

  private propose(call: ProposedCall, request: SessionRequest['id']): CallHandle {
    const handle = this.parts.pipeline.propose({
      ...call,
      seat: this.client.seat,
      onWaiting: (approval) => {
        call.onWaiting?.(approval);
        this.client.waits(approval, request);
      },
      onSettled: (approvalId) => {
        call.onSettled?.(approvalId);
        this.client.settled(approvalId);
      },
    });
    this.calls.add(handle);
    void handle.ended.then(({ approval }) => {
      this.calls.delete(handle);
      this.lastUsedAt = Date.now();
      if (approval !== null) this.client.forget(approval.approval_id);
    });
    return handle;
  }

  /** What the SDK leaves to us: requests that speak of tasks, or of what we do not have. */
  private handle(request: { method: string; params?: unknown }, extra: RequestExtra): Promise<JsonText> {
    const answer = this.answers.get(request.method);
    if (answer === undefined) throw new RpcError(rpcCodes.methodNotFound, 'Method not found');
    return answer(sessionRequestOf(request.params, extra));
  }

  private setLevel(params: unknown): Promise<JsonText> {
    const parsed = LevelParams.safeParse(params);
    if (!parsed.success)
      return Promise.reject(new RpcError(rpcCodes.invalidParams, 'level must be one of RFC 5424'));
    this.client.setLevel(parsed.data.level);
    return Promise.resolve(emptyResult);
  }

  /** Empty where the run has ended. */
  private async listTools(params: unknown): Promise<JsonText> {
    const cursor = readCursor(params);
    const tools = await this.front.tools(this.caller);
    if (tools.kind === 'unavailable') throw unavailableError();
    const definitions = tools.kind === 'denied' ? [] : tools.definitions;
    return listPage({ name: 'tools', definitions }, cursor);
  }

  private callTool(request: SessionRequest): Promise<JsonText> {
    const { caller } = this;
    return callTool({
      ...request,
      sessionEnded: () => this.ended,
      propose: (call) =>
        this.propose(
          {
            caller,
            ...call,
            toolName: this.front.publicName(caller, call.toolName),
            isReserved: this.front.isReserved ?? false,
          },
          request.id,
        ),
      waitLimitMs: this.parts.waitLimitMs,
    });
  }
}
