import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { compact, elementTexts, memberText, scanJson, stringifyWithText } from '@uar/json-text';

/** The text of a result as the upstream sent it, on its way through the SDK's client, which looks no further. */
export class RawResult {
  readonly [member: string]: unknown;

  constructor(readonly text: string) {}
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

/** `parsed` until initialize is answered, which the SDK's client reads itself; `raw` from then on. */
export type ResultForm = 'parsed' | 'raw';

/** Messages of a frame (more than one in a batch); `undefined`: not JSON-RPC, noise. */
export function decodeFrame(text: string, form: ResultForm): JSONRPCMessage[] | undefined {
  const scan = scanJson(text, { duplicates: 'last_wins' });
  if (scan.kind === 'bad') return undefined;
  if (scan.rootKind === 'array') {
    const messages = elementTexts(text).map((element) => decodeFrame(element, form));
    return messages.some((message) => message === undefined)
      ? undefined
      : messages.flatMap((one) => one ?? []);
  }
  const part = (name: string): string | undefined => {
    const span = scan.members.get(name);
    return span === undefined ? undefined : text.slice(span.start, span.end);
  };
  const idText = part('id');
  if (part('method') !== undefined) return [JSON.parse(text)];
  const id = idText === undefined ? undefined : idOf(idText);
  if (id === undefined) return undefined;
  const result = part('result');
  if (result !== undefined) return [resultMessage(id, result, form)];
  const error = part('error');
  return error === undefined ? undefined : [problemMessage(id, errorProblem(error))];
}

/** A response that says why the request has no result. */
export function problemMessage(id: number, problem: RequestProblem['problem']): JSONRPCMessage {
  const code = problem.kind === 'upstream_error' ? problem.code : -32000;
  return { jsonrpc: '2.0', id, error: { code, message: problem.kind, data: new RequestProblem(problem) } };
}

/** Ids are numbers of ours; an upstream that echoes one as a string is understood. */
function idOf(text: string): number | undefined {
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
  if (form === 'parsed') return { jsonrpc: '2.0', id, result: JSON.parse(text) };
  return { jsonrpc: '2.0', id, result: new RawResult(/[\r\n]/.test(text) ? compact(text) : text) };
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
