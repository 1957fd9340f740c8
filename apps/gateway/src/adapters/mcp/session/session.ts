import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { jsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/types.js';
import { type Caller, principalId } from '@uar/contracts';
import { JsonText } from '@uar/json-text';
import { z } from 'zod';
import type { CallHandle, CallPipeline, ProposedCall } from '../../../domain/call/proposed-call.js';
import type { Front } from '../../../domain/front/front.js';
import { RpcError, unavailableError } from '../calls/call-result.js';
import { Elicitations } from '../calls/elicitations.js';
import { type Greeting, isPrimed, type Revision } from '../revisions.js';
import type { SessionReplay } from './replay-store.js';
import { SessionTransport } from './session-transport.js';
import { callTool } from '../calls/tool-call.js';
import { toolPage } from '../calls/tool-list.js';
import { type ToolRequest, ToolRequests } from '../calls/tool-requests.js';

/** What all sessions of this gateway share. */
export interface SessionParts {
  readonly pipeline: CallPipeline;
  /** Milliseconds until an MCP call without a progress token gets its interim answer. */
  readonly waitLimitMs: number;
  /** Where people decide an approval. */
  readonly pageUrl: (approvalId: string) => string;
}

const serverInfo = { name: 'uar', title: 'UAR tool plane', version: '0.1.0' };

/** The gateway validates with its own bounded validator; the SDK's, made anew per `Server`, would cost 0.85 ms a session. */
const noValidation: jsonSchemaValidator = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
};

/** The list of a run that has ended. */
const noTools = new JsonText('{"tools":[]}');

const ListParams = z.looseObject({ cursor: z.string().optional() }).optional();

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
  private readonly toolRequests: ToolRequests;
  private readonly elicitations: Elicitations;
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
    this.toolRequests = new ToolRequests(
      (request) => this.callTool(request),
      (message, options) => this.transport.send(message, options),
    );
    this.transport.toolRequests = this.toolRequests;
    this.elicitations = new Elicitations({
      send: (message, options) => this.transport.send(message, options),
      hasStream: (request) => this.transport.isWaiting(request),
      pageUrl: parts.pageUrl,
    });
    this.transport.elicitations = this.elicitations;
    this.server = new Server(serverInfo, {
      capabilities: { tools: { listChanged: true } },
      jsonSchemaValidator: noValidation,
    });
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

  greet({ revision, params }: Greeting): void {
    this.spoken = revision;
    this.elicitations.greet(params);
  }

  /** It waits for a human, or has a request that is not answered. */
  get isBusy(): boolean {
    return this.calls.size > 0 || this.transport.isBusy;
  }

  async toolsChanged(): Promise<void> {
    if (!this.ended) await this.server.sendToolListChanged();
  }

  /** Its calls that wait for a human end; those under way go on, unless whoever made them ends it. */
  async close(by: 'client' | 'gateway'): Promise<void> {
    this.ended = true;
    this.abandonCalls();
    if (by === 'client') for (const call of this.calls) call.cancel();
    this.toolRequests.cancelAll();
    await this.server.close();
  }

  /** Nobody has listened for too long: the calls that still wait for a human end (DESIGN.md 9). */
  abandonCalls(): void {
    for (const call of this.calls) call.abandon();
  }

  private propose(call: ProposedCall, request: ToolRequest['id']): CallHandle {
    const handle = this.parts.pipeline.propose({
      ...call,
      onWaiting: (approval) => {
        call.onWaiting?.(approval);
        this.elicitations.ask(approval, request);
      },
      onSettled: (approvalId) => this.elicitations.complete(approvalId),
    });
    this.calls.add(handle);
    void handle.ended.then(({ approval }) => {
      this.calls.delete(handle);
      this.lastUsedAt = Date.now();
      if (approval !== null) this.elicitations.forget(approval.approval_id);
    });
    return handle;
  }

  private handle(request: { method: string; params?: unknown }, extra: RequestExtra): Promise<JsonText> {
    switch (request.method) {
      case 'tools/list':
        return this.listTools(request.params);
      case 'tools/call':
        return this.callTool(toolRequestOf(request.params, extra));
      default:
        throw new RpcError(-32601, 'Method not found');
    }
  }

  private async listTools(params: unknown): Promise<JsonText> {
    const parsed = ListParams.safeParse(params);
    if (!parsed.success) throw new RpcError(-32602, 'cursor must be a string');
    const tools = await this.front.tools(this.caller);
    if (tools.kind === 'unavailable') throw unavailableError();
    if (tools.kind === 'denied') return noTools;
    const page = toolPage(tools.definitions, parsed.data?.cursor);
    if (page.kind === 'bad_cursor') throw new RpcError(-32602, 'this cursor is not one of ours');
    return page.result;
  }

  private callTool(request: ToolRequest): Promise<JsonText> {
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

/** A call that came through the SDK all the same, because it speaks of tasks. */
function toolRequestOf(params: unknown, extra: RequestExtra): ToolRequest {
  return {
    id: extra.requestId,
    params,
    onCancel: (listener) => extra.signal.addEventListener('abort', listener, { once: true }),
    notify: (progress) => {
      const sent = extra.sendNotification({ method: 'notifications/progress', params: progress as never });
      sent.catch(() => undefined);
    },
  };
}

type RequestExtra = Parameters<NonNullable<Server['fallbackRequestHandler']>>[1];
