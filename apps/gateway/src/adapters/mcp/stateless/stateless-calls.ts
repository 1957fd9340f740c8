import { JsonText } from '@uar/json-text';
import { Deferred } from '../../../domain/call/deferred.js';
import type {
  CallEnding,
  CallHandle,
  CallPipeline,
  ProposedCall,
} from '../../../domain/call/proposed-call.js';
import { callResult, RpcError, spentResult } from '../calls/call-result.js';
import { callTool } from '../calls/tool-call.js';
import { refuse } from '../http/refuse.js';
import type { McpRequest } from '../http/request.js';
import { rpcCodes } from '../rpc-codes.js';
import { needsTasks, type TaskCalls } from '../tasks/task-calls.js';
import { complete } from './answers.js';
import { mismatch, type StatelessRequest } from './envelope.js';
import { paramHeaderProblem } from './param-headers.js';
import { type Asked, RequestStream } from './request-stream.js';
import type { AskedAgain } from './rounds/asked-again.js';
import type { AskedClients } from './rounds/asked-clients.js';
import { type Brought, readBrought } from './rounds/brought.js';

interface CallParts {
  readonly pipeline: CallPipeline;
  readonly again: AskedAgain;
  readonly clients: AskedClients;
  readonly taskCalls: TaskCalls;
  /** Milliseconds until a call that waits for a human gets its interim answer. */
  readonly waitLimitMs: number;
}

/** `tools/call` without a session: answered on a stream of its own, cancelled by closing it (MCP 2026-07-28, "Cancellation"). */
export class StatelessCalls {
  constructor(private readonly parts: CallParts) {}

  async answer(request: McpRequest, asked: StatelessRequest): Promise<void> {
    const { response } = request;
    const wrong = await wrongHeader(request, asked);
    if (wrong !== undefined) return refuse(response, { status: 400, why: mismatch(wrong), id: asked.id });
    if (await this.needsTasks(request, asked))
      return refuse(response, { status: 400, why: needsTasks, id: asked.id });
    const stream = new RequestStream(response, asked.id);
    await stream.answer(this.call(request, { ...asked, ...stream.lent() }));
  }

  private async needsTasks(
    { caller, front }: McpRequest,
    { params: { name }, takesTasks }: StatelessRequest,
  ): Promise<boolean> {
    if (takesTasks || typeof name !== 'string') return false;
    return this.parts.taskCalls.needsTasks({ caller, toolName: front.publicName(caller, name) });
  }

  private async call(request: McpRequest, asked: Asked): Promise<JsonText> {
    const brought = readBrought(asked);
    if (brought.state !== undefined) return this.callAgain(request, asked, brought);
    const { caller, front } = request;
    const interim = new Deferred<JsonText>();
    const answer = callTool({
      ...asked,
      sessionEnded: () => false,
      propose: ({ toolName, ...call }) => {
        const isReserved = front.isReserved ?? false;
        const proposed = { caller, ...call, toolName: front.publicName(caller, toolName), isReserved };
        return this.propose(proposed, { asked, brought, interim });
      },
      waitLimitMs: this.parts.waitLimitMs,
    });
    return Promise.race([answer.then(complete), interim.promise]);
  }

  /** Whoever knows tasks reads the call by its id; whoever can open a page is sent there at once, and comes back with what it was given. */
  private propose(
    call: ProposedCall,
    {
      asked,
      brought,
      interim,
    }: { readonly asked: Asked; readonly brought: Brought; readonly interim: Deferred<JsonText> },
  ): CallHandle {
    const { pipeline, clients, again, taskCalls } = this.parts;
    const client = clients.begin(call.caller, asked, brought.responses);
    const turn = taskCalls.turn(asked, (task) => interim.resolve(task));
    const handle = pipeline.propose({
      ...call,
      ...(client !== undefined && { seat: client.seat, client }),
      onWaiting: (approval) => {
        if (turn !== undefined) return turn.begin();
        call.onWaiting?.(approval);
        if (!asked.opensPages) return;
        handle.park();
        interim.resolve(again.page(call, approval));
      },
    });
    const attention =
      client &&
      clients.attend(client, { handle, call, asked }, (inputs) => {
        turn?.stop();
        interim.resolve(inputs);
      });
    turn?.take({ handle, attention, afterMs: taskCalls.patienceMs(call) });
    return handle;
  }

  private async callAgain({ caller, front }: McpRequest, asked: Asked, brought: Brought): Promise<JsonText> {
    const { name, arguments: text = new JsonText('{}') } = asked.params;
    if (typeof name !== 'string' || !(text instanceof JsonText))
      throw new RpcError(rpcCodes.invalidParams, 'tools/call needs a name, and an object as arguments');
    const call = { caller, toolName: front.publicName(caller, name), argumentsJson: text.text };
    const task = this.parts.taskCalls.wish(call, asked);
    const round = await this.parts.again.answer(call, brought, { ...asked, ...(task && { task }) });
    return round.kind === 'interim' ? round.result : complete(endOf(round.ended));
  }
}

function endOf(ended: CallEnding): JsonText {
  const isSpent = ended.outcome === 'completed' || ended.outcome === 'tool_error';
  return isSpent && ended.resultJson === undefined ? spentResult(ended) : callResult(ended);
}

/** Only of tools that the caller may know: a refusal here must not tell of others. */
async function wrongHeader(
  { caller, front, headers }: McpRequest,
  { params }: StatelessRequest,
): Promise<string | undefined> {
  const { name, arguments: text } = params;
  if (typeof name !== 'string' || !(text instanceof JsonText)) return undefined;
  const tools = await front.tools(caller);
  if (tools.kind !== 'listed') return undefined;
  return paramHeaderProblem(tools.definitions, { name, argumentsJson: text.text }, headers);
}
