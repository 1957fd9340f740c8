import type { ApprovalView } from '@uar/contracts';
import { JsonText } from '@uar/json-text';
import type { CallHandle, CallPipeline, ProposedCall } from '../../../domain/call/proposed-call.js';
import { Deferred } from '../../../domain/call/deferred.js';
import { callTool, type CallRequest } from '../calls/tool-call.js';
import { refuse } from '../http/refuse.js';
import type { McpRequest } from '../http/request.js';
import { complete } from './answers.js';
import type { AskedAgain } from './asked-again.js';
import { mismatch, type StatelessRequest } from './envelope.js';
import { paramHeaderProblem } from './param-headers.js';
import { RequestStream } from './request-stream.js';

interface CallParts {
  readonly pipeline: CallPipeline;
  readonly again: AskedAgain;
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
    const stream = new RequestStream(response, asked.id);
    await stream.answer(this.call(request, { ...asked, ...stream.lent() }));
  }

  private call({ caller, front }: McpRequest, asked: Asked): Promise<JsonText> {
    const name = (tool: string): string => front.publicName(caller, tool);
    if (asked.params['requestState'] !== undefined)
      return this.parts.again.answer(asked, { caller, publicName: name });
    const page = new Deferred<JsonText>();
    const answer = callTool({
      ...asked,
      sessionEnded: () => false,
      propose: ({ toolName, ...call }) =>
        this.propose(
          { caller, ...call, toolName: name(toolName), isReserved: front.isReserved ?? false },
          asked,
          page,
        ),
      waitLimitMs: this.parts.waitLimitMs,
    });
    return Promise.race([answer.then(complete), page.promise]);
  }

  /** Whoever can open a page is sent there at once, and comes back with what it was given. */
  private propose(call: ProposedCall, asked: Asked, page: Deferred<JsonText>): CallHandle {
    if (!asked.opensPages) return this.parts.pipeline.propose(call);
    const onWaiting = (approval: ApprovalView): void => {
      handle.park();
      page.resolve(this.parts.again.ask(call, approval));
    };
    const handle = this.parts.pipeline.propose({ ...call, onWaiting });
    return handle;
  }
}

type Asked = StatelessRequest & Pick<CallRequest, 'onCancel' | 'notify' | 'runs'>;

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
