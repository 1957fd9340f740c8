import { memberSpans, memberString, scanJson } from '@uar/json-text';
import type { ClientRequest } from '../../domain/client-side.js';

export interface InputRequest extends Pick<ClientRequest, 'method' | 'paramsJson'> {
  /** Under which the upstream wants the answer. */
  readonly key: string;
}

export interface InputRequired {
  readonly requests: readonly InputRequest[];
  /** The JSON string that the next request has to repeat. */
  readonly stateText: string | undefined;
}

export type ReadResult =
  | { readonly kind: 'complete' }
  | { readonly kind: 'input_required'; readonly required: InputRequired }
  | { readonly kind: 'bad'; readonly message: string };

const maxDepth = 128;
const mostRequests = 64;
const longestKey = 256;
const longestState = 256 * 1024;

/** What kind of result it is (MCP 2026-07-28, `resultType`); takes valid JSON of an object. */
export function readResult(text: string): ReadResult {
  const types = memberSpans(text, 0).filter(({ name }) => name === 'resultType');
  const [type] = types;
  if (type === undefined) return { kind: 'complete' };
  if (types.length > 1) return bad('the upstream answered a result that names its type twice');
  switch (text.slice(type.value.start, type.value.end)) {
    case '"complete"':
      return { kind: 'complete' };
    case '"input_required"':
      return readInputRequired(text);
  }
  return bad('the upstream answered a result of a type that is not known');
}

function readInputRequired(text: string): ReadResult {
  const scan = scanJson(text, { maxDepth });
  if (scan.kind === 'bad')
    return bad(
      scan.problem === 'duplicate_member'
        ? 'the upstream asked for input in a result that names a member twice'
        : 'the upstream asked for input in a result that is nested too deeply',
    );
  const part = (name: string): string | undefined => {
    const span = scan.members.get(name);
    return span === undefined ? undefined : text.slice(span.start, span.end);
  };
  const [stateText, inputs] = [part('requestState'), part('inputRequests')];
  if (stateText === undefined && inputs === undefined)
    return bad('the upstream asked for input without saying for what');
  if (stateText?.startsWith('"') === false) return bad('the upstream gave a requestState that is no string');
  if (stateText !== undefined && Buffer.byteLength(stateText) > longestState)
    return bad('the upstream gave a requestState that is too long');
  const requests = inputs === undefined ? [] : requestsIn(inputs);
  return typeof requests === 'string'
    ? bad(requests)
    : { kind: 'input_required', required: { requests, stateText } };
}

/** A text: what is wrong with them. */
function requestsIn(text: string): InputRequest[] | string {
  if (!text.startsWith('{')) return 'the upstream asked for input in another shape than a request';
  const members = memberSpans(text, 0);
  if (members.length > mostRequests) return 'the upstream asked for too much input at once';
  const requests: InputRequest[] = [];
  for (const { name: key, value } of members) {
    const request = requestIn(key, text.slice(value.start, value.end));
    if (request === undefined) return 'the upstream asked for input in another shape than a request';
    requests.push(request);
  }
  return requests;
}

function requestIn(key: string, text: string): InputRequest | undefined {
  const method = memberString(text, 'method');
  if (Buffer.byteLength(key) > longestKey || method === undefined || !isAskable(method)) return undefined;
  const params = memberSpans(text, 0).find(({ name }) => name === 'params')?.value;
  const paramsJson = params === undefined ? '{}' : text.slice(params.start, params.end);
  return paramsJson.startsWith('{') ? { key, method, paramsJson } : undefined;
}

function isAskable(method: string): method is ClientRequest['method'] {
  return method === 'sampling/createMessage' || method === 'elicitation/create' || method === 'roots/list';
}

function bad(message: string): ReadResult {
  return { kind: 'bad', message };
}
