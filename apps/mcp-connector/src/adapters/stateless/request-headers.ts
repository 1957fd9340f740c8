import { paramMarks, valueAt } from '@uar/catalog';
import { memberString, memberText } from '@uar/json-text';
import { statelessRevision } from './revision.js';

const mark = 'x-mcp-header';
const plain = /^(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?$/;
const sentinel = /^=\?base64\?.*\?=$/s;

/** Which member of `params` is repeated in `Mcp-Name`. */
const nameMembers: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
]);

export interface DescribedRequest {
  readonly method: string;
  readonly paramsText: string;
  /** Of the tool that is called, as its upstream lists it. */
  readonly definition?: string | undefined;
}

/** Headers that repeat what a request says (MCP 2026-07-28, "Streamable HTTP", request metadata). */
export function requestHeaders({ method, paramsText, definition }: DescribedRequest): Record<string, string> {
  const member = nameMembers.get(method);
  const name = member === undefined ? undefined : memberString(paramsText, member);
  return {
    'mcp-protocol-version': statelessRevision,
    'mcp-method': method,
    ...(name !== undefined && { 'mcp-name': headerValue(name) }),
    ...(method === 'tools/call' && definition !== undefined && paramHeaders(definition, paramsText)),
  };
}

/** Why a tool may not be called over HTTP; takes definitions of bounded depth alone. */
export function markProblem(definition: string): string | undefined {
  if (!definition.includes(mark) || marksOf(definition) !== undefined) return undefined;
  return 'a tool marks arguments for headers against the rules';
}

function paramHeaders(definition: string, paramsText: string): Record<string, string> {
  const marks = definition.includes(mark) ? (marksOf(definition) ?? []) : [];
  if (marks.length === 0) return {};
  const values: unknown = JSON.parse(memberText(paramsText, 'arguments') ?? '{}');
  const headers = marks.map(
    ({ name, path }) => [`mcp-param-${name}`, textOf(valueAt(values, path))] as const,
  );
  return Object.fromEntries(headers.flatMap(([name, text]) => (text === undefined ? [] : [[name, text]])));
}

function marksOf(definition: string): ReturnType<typeof paramMarks> {
  return paramMarks(JSON.parse(memberText(definition, 'inputSchema') ?? '{}'));
}

/** Undefined: not repeated. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return headerValue(value);
  const isRepeated = typeof value === 'boolean' || Number.isSafeInteger(value);
  return isRepeated ? String(value) : undefined;
}

function headerValue(text: string): string {
  if (plain.test(text) && !sentinel.test(text)) return text;
  return `=?base64?${Buffer.from(text, 'utf8').toString('base64')}?=`;
}
