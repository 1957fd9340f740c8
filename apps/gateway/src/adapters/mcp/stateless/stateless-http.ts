import type { JsonText } from '@uar/json-text';
import { unavailableError } from '../calls/call-result.js';
import { listPage, readCursor } from '../calls/list-page.js';
import { accepts } from '../http/accept.js';
import { refuse, type TransportRefusal } from '../http/refuse.js';
import { type McpRequest, permittedFrames } from '../http/request.js';
import type { OpenDecision } from '../http/session-door.js';
import { statelessRevision } from '../revisions.js';
import { rpcCodes } from '../rpc-codes.js';
import type { StatelessTasks } from '../tasks/stateless-tasks.js';
import { cacheable, discovered, replyText } from './answers.js';
import { notificationProblem, readEnvelope, type StatelessRequest } from './envelope.js';
import { replyOf, RequestStream } from './request-stream.js';
import type { StatelessCalls } from './stateless-calls.js';
import type { StatelessItems } from './stateless-items.js';
import type { Subscriptions } from './subscriptions.js';

interface StatelessParts {
  readonly calls: StatelessCalls;
  readonly subscriptions: Subscriptions;
  readonly items: StatelessItems;
  readonly tasks: StatelessTasks;
  /** May this caller list at all (action listTools)? A call has its own question. */
  mayList(caller: McpRequest['caller']): Promise<OpenDecision>;
}

const listTtlMs = 10_000;

/** MCP 2026-07-28 over HTTP: every POST is one request that says all there is to know of it, for any replica to answer. */
export class StatelessHttp {
  constructor(private readonly parts: StatelessParts) {}

  async serve(request: McpRequest): Promise<void> {
    const { response, headers } = request;
    const misplaced = misplacement(request);
    if (misplaced !== undefined) return refuse(response, misplaced);
    const frames = permittedFrames(request, { hasBatches: false });
    const [frame] = frames ?? [];
    switch (frame?.kind) {
      case undefined:
        return;
      case 'response':
        return refuse(response, { status: 400, why: invalid('nobody here asked for a response') });
      case 'notification': {
        const why = notificationProblem(frame, headers);
        if (why !== undefined) return refuse(response, { status: 400, why });
        response.writeHead(202).end();
        return;
      }
      case 'request': {
        const read = readEnvelope(frame, headers);
        if (read.kind === 'refused') return refuse(response, read.refusal);
        return this.answer(request, read.request);
      }
    }
  }

  private async answer(request: McpRequest, asked: StatelessRequest): Promise<void> {
    switch (asked.method) {
      case 'tools/call':
        return this.parts.calls.answer(request, asked);
      case 'tools/list':
        return this.listed(request, asked, () => listTools(request, asked));
      case 'server/discover':
        return this.listed(request, asked, () => Promise.resolve(discovered));
      case 'subscriptions/listen':
        if (await this.mayList(request, asked)) await this.parts.subscriptions.listen(request, asked);
        return;
      default:
        if (await this.parts.tasks.answer(request, asked)) return;
        return this.answerItem(request, asked);
    }
  }

  private async answerItem(request: McpRequest, asked: StatelessRequest): Promise<void> {
    const { response } = request;
    const answer = this.parts.items.answering(asked.method, request);
    if (answer === undefined) {
      const why = { code: rpcCodes.methodNotFound, message: 'Method not found' };
      return refuse(response, { status: 404, why, id: asked.id });
    }
    if (asked.method.endsWith('/list') && !(await this.mayList(request, asked))) return;
    const stream = new RequestStream(response, asked.id);
    await stream.answer(answer({ ...asked, ...stream.lent() }));
  }

  private async listed(
    request: McpRequest,
    asked: StatelessRequest,
    result: () => Promise<JsonText>,
  ): Promise<void> {
    if (!(await this.mayList(request, asked))) return;
    const reply = await replyOf(result());
    request.response.writeHead(200, { 'content-type': 'application/json' }).end(replyText(asked, reply));
  }

  /** Answers itself where policy does not allow it. */
  private async mayList({ caller, response }: McpRequest, { id }: StatelessRequest): Promise<boolean> {
    const decision = await this.parts.mayList(caller);
    if (decision !== 'allow') refuse(response, { ...undecided[decision], id });
    return decision === 'allow';
  }
}

const undecided = {
  deny: { status: 403, why: 'policy does not allow to list here' },
  unavailable: { status: 503, why: 'the decision point is not available' },
} as const;

/** What no request of this revision has. */
function misplacement({ method, headers, pairSession, response }: McpRequest): TransportRefusal | undefined {
  if (method !== 'POST') {
    response.setHeader('allow', 'POST');
    return { status: 405, why: `revision ${statelessRevision} knows POST alone` };
  }
  if (headers['mcp-session-id'] !== undefined || pairSession !== undefined)
    return { status: 400, why: invalid(`revision ${statelessRevision} has no sessions`) };
  if (accepts(headers.accept, 'application/json') && accepts(headers.accept, 'text/event-stream'))
    return undefined;
  return { status: 406, why: 'Accept must name application/json and text/event-stream' };
}

function invalid(message: string): { code: number; message: string } {
  return { code: rpcCodes.invalidRequest, message };
}

async function listTools({ caller, front }: McpRequest, { params }: StatelessRequest): Promise<JsonText> {
  const cursor = readCursor(params);
  const tools = await front.tools(caller);
  if (tools.kind === 'unavailable') throw unavailableError();
  const definitions = tools.kind === 'denied' ? [] : tools.definitions;
  return cacheable(listPage({ name: 'tools', definitions }, cursor), listTtlMs);
}
