import type { ApprovalView } from '@uar/contracts';
import { JsonText } from '@uar/json-text';
import { z } from 'zod';
import { Deferred } from '../../../domain/call/deferred.js';
import type { CallHandle, ProposedCall } from '../../../domain/call/proposed-call.js';
import { rpcCodes } from '../rpc-codes.js';
import { callResult, RpcError, waitingResult } from './call-result.js';
import { progressUnder, RequestMeta } from './params.js';
import type { SessionRequest } from './session-requests.js';

/** `params` of `tools/call`; the argument text was kept apart by `readFrame`. */
const CallParams = z.looseObject({
  name: z.string(),
  arguments: z.instanceof(JsonText).optional(),
  _meta: RequestMeta,
});

/** What one request of a session lends to its call. */
export interface CallRequest extends SessionRequest {
  readonly sessionEnded: () => boolean;
  readonly propose: (
    call: Pick<ProposedCall, 'toolName' | 'argumentsJson' | 'onProgress' | 'onWaiting' | 'onSettled'>,
  ) => CallHandle;
  readonly waitLimitMs: number;
}

const waitingNoteMs = 5_000;

/**
 * One `tools/call` from the request to its answer. While a human is asked, a client that gave a progress token is told every
 * 5 s; one that gave none gets an interim answer after `waitLimitMs` and proposes the same call again (DESIGN.md 9).
 */
export async function callTool(request: CallRequest): Promise<JsonText> {
  const parsed = CallParams.safeParse(request.params);
  if (!parsed.success)
    throw new RpcError(rpcCodes.invalidParams, 'tools/call needs a name, and an object as arguments');
  const { name, arguments: text, _meta: meta } = parsed.data;
  if (text !== undefined && !text.text.startsWith('{'))
    throw new RpcError(rpcCodes.invalidParams, 'arguments must be an object');
  const progress = progressNotes(meta?.progressToken, (params) => request.notify(params));
  const waiting = new Deferred<ApprovalView>();
  const settled = new AbortController();
  const handle = request.propose({
    toolName: name,
    argumentsJson: text?.text ?? '{}',
    ...(progress !== undefined && { onProgress: progress.pass }),
    onWaiting: (approval) => waiting.resolve(approval),
    onSettled: () => settled.abort(),
  });
  request.runs(handle);
  request.onCancel(() => (request.sessionEnded() ? handle.abandon() : handle.cancel()));
  try {
    const limit = progress === undefined ? request.waitLimitMs : undefined;
    return await answerOf(handle, waiting.promise, {
      limit,
      note: progress?.waiting,
      settled: settled.signal,
    });
  } finally {
    progress?.stop();
  }
}

interface WaitingRules {
  /** Milliseconds after which the interim answer is given; undefined = never. */
  readonly limit: number | undefined;
  readonly note: ((approval: ApprovalView) => void) | undefined;
  /** What was allowed is waited for without limit: its result goes to nobody else. */
  readonly settled: AbortSignal;
}

async function answerOf(
  handle: CallHandle,
  waiting: Promise<ApprovalView>,
  rules: WaitingRules,
): Promise<JsonText> {
  const first = await Promise.race([handle.ended, waiting]);
  if ('kind' in first) return callResult(first);
  rules.note?.(first);
  const timer = new Deferred<'interim'>();
  const { limit, settled } = rules;
  const isTimed = limit !== undefined && !settled.aborted;
  const timeout = isTimed ? setTimeout(() => timer.resolve('interim'), limit) : undefined;
  settled.addEventListener('abort', () => clearTimeout(timeout), { once: true });
  const second = await Promise.race([handle.ended, timer.promise]);
  clearTimeout(timeout);
  if (second !== 'interim') return callResult(second);
  handle.park();
  return waitingResult(handle.callId, first);
}

interface ProgressNotes {
  pass(paramsJson: string): void;
  waiting(approval: ApprovalView): void;
  stop(): void;
}

/** Progress under the client's own token (MCP "Progress"); undefined when the client gave none. */
function progressNotes(
  token: string | number | undefined,
  notify: SessionRequest['notify'],
): ProgressNotes | undefined {
  if (token === undefined) return undefined;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const stop = (): void => {
    stopped = true;
    clearInterval(timer);
  };
  return {
    stop,
    pass(paramsJson) {
      clearInterval(timer);
      if (!stopped) notify(progressUnder(token, paramsJson));
    },
    waiting(approval) {
      let progress = 0;
      const tell = (): void => {
        progress += 1;
        notify({ progressToken: token, progress, message: `waiting for approval ${approval.approval_id}` });
      };
      tell();
      timer = setInterval(tell, waitingNoteMs);
    },
  };
}
