import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import {
  JsonText,
  compact,
  elementTexts,
  memberSpans,
  memberText,
  scanJson,
  stringifyWithText,
} from '@uar/json-text';
import { noteParams } from './origin.js';

/** The text of a result as the upstream sent it, on its way through the SDK's client, which looks no further. */
export class RawResult {
  readonly [member: string]: unknown;

  constructor(readonly text: string) {}
}

/** A text on its way to an upstream as the whole `params` or `result` of a message. */
export class RawMember extends JsonText {
  readonly [member: string]: unknown;
}

/** Why a request has no result: travels as `data` of a JSON-RPC error through the SDK's client. */
export class RequestProblem {
  constructor(
    readonly problem:
      | {
          readonly kind: 'upstream_error';
          readonly code: number;
          readonly message: string;
          readonly dataJson?: string;
        }
      | { readonly kind: 'transport_failure'; readonly message: string }
      | { readonly kind: 'result_too_large'; readonly bytes: number },
  ) {}
}

/** One line, whatever is in it: argument texts are compact, and JSON.stringify breaks no lines. */
export function encodeFrame(message: JSONRPCMessage): string {
  return stringifyWithText(message);
}

/**
 * `parsed` until initialize is answered, which the SDK's client reads itself; `raw` from then on. `strict` without a session: the
 * same, and no batches, nor a message that names a member twice.
 */
export type ResultForm = 'parsed' | 'raw' | 'strict';

/** Deepest message around a result or error that is only cut out, never parsed. */
const cutBounds = { duplicates: 'last_wins', maxDepth: 512 } as const;
/** Deepest message that is parsed: whoever walks it recursively stays far from the end of the stack. */
const parseBounds = { duplicates: 'last_wins', maxDepth: 128 } as const;
const batchBounds = { duplicates: 'last_wins', maxDepth: cutBounds.maxDepth + 1 } as const;
const longestId = 64;
const tooDeep = {
  kind: 'upstream_error',
  code: -32603,
  message: 'the upstream answered something that is nested too deeply',
} as const;

const twice = {
  kind: 'upstream_error',
  code: -32603,
  message: 'the upstream answered a message that names a member twice',
} as const;

/** Messages of a frame (more than one in a batch); `undefined`: not JSON-RPC, noise. Linear, and never throws. */
export function decodeFrame(text: string, form: ResultForm): JSONRPCMessage[] | undefined {
  if (!/^\s*\[/.test(text)) {
    const message = decodeMessage(text, form);
    return message === undefined ? undefined : [message];
  }
  if (form === 'strict' || scanJson(text, batchBounds).kind === 'bad') return undefined;
  const messages: JSONRPCMessage[] = [];
  for (const element of elementTexts(text)) {
    const message = decodeMessage(element, form);
    if (message === undefined) return undefined;
    messages.push(message);
  }
  return messages;
}

function decodeMessage(text: string, form: ResultForm): JSONRPCMessage | undefined {
  const scan = scanJson(text, cutBounds);
  if (scan.kind === 'bad') return scan.problem === 'too_deep' ? deepAnswer(text) : undefined;
  const part = (name: string): string | undefined => {
    const span = scan.members.get(name);
    return span === undefined ? undefined : text.slice(span.start, span.end);
  };
  const idText = part('id');
  if (part('method') !== undefined) return requestMessage(text, part('params'));
  const id = idText === undefined ? undefined : idOf(idText);
  if (id === undefined) return undefined;
  if (form === 'strict' && memberSpans(text, 0).length !== scan.members.size)
    return problemMessage(id, twice);
  const result = part('result');
  if (result !== undefined) return resultMessage(id, result, form);
  const error = part('error');
  return error === undefined ? undefined : problemMessage(id, errorProblem(error));
}

/** A request or a notification, which keeps the text of its `params`. */
function requestMessage(text: string, params: string | undefined): JSONRPCMessage | undefined {
  if (!isParsable(text)) return undefined;
  const message: JSONRPCMessage = JSON.parse(text);
  if (params !== undefined) noteParams(message, params);
  return message;
}

function isParsable(text: string): boolean {
  return scanJson(text, parseBounds).kind === 'ok';
}

/** Too deep to know whether it is JSON: where it looks like an answer, its call need not wait for another. */
function deepAnswer(text: string): JSONRPCMessage | undefined {
  const idText = memberText(text, 'id');
  if (idText === undefined || memberText(text, 'method') !== undefined) return undefined;
  const id = idOf(idText);
  return id === undefined ? undefined : problemMessage(id, tooDeep);
}

/** A response that says why the request has no result. */
export function problemMessage(id: number, problem: RequestProblem['problem']): JSONRPCMessage {
  const code = problem.kind === 'upstream_error' ? problem.code : -32000;
  return { jsonrpc: '2.0', id, error: { code, message: problem.kind, data: new RequestProblem(problem) } };
}

/** Ids are numbers of ours; an upstream that echoes one as a string is understood. */
function idOf(text: string): number | undefined {
  if (text.length > longestId || scanJson(text).kind === 'bad') return undefined;
  const value: unknown = JSON.parse(text);
  const id = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof id === 'number' && Number.isSafeInteger(id) ? id : undefined;
}

/** A result over several lines (an HTTP upstream that prints prettily) is put on one; nothing else of it changes. */
function resultMessage(id: number, text: string, form: ResultForm): JSONRPCMessage {
  if (!text.startsWith('{'))
    return problemMessage(id, {
      kind: 'upstream_error',
      code: -32603,
      message: 'the upstream answered a result that is no object',
    });
  if (form === 'parsed')
    return isParsable(text) ? { jsonrpc: '2.0', id, result: JSON.parse(text) } : problemMessage(id, tooDeep);
  return { jsonrpc: '2.0', id, result: new RawResult(/[\r\n]/.test(text) ? compact(text) : text) };
}

/** The error of a response, whatever its id is; undefined where the text is none. */
export function decodeError(text: string): RequestProblem['problem'] | undefined {
  const scan = scanJson(text, cutBounds);
  const error = scan.kind === 'ok' ? scan.members.get('error') : undefined;
  if (error === undefined || text[error.start] !== '{') return undefined;
  return errorProblem(text.slice(error.start, error.end));
}

function errorProblem(text: string): RequestProblem['problem'] {
  const code: unknown = JSON.parse(memberText(text, 'code') ?? 'null');
  const message: unknown = JSON.parse(memberText(text, 'message') ?? 'null');
  const data = memberText(text, 'data');
  return {
    kind: 'upstream_error',
    code: typeof code === 'number' && Number.isSafeInteger(code) ? code : -32603,
    message: typeof message === 'string' ? message : 'the upstream answered an error without a message',
    ...(data === undefined ? {} : { dataJson: /[\r\n]/.test(data) ? compact(data) : data }),
  };
}
