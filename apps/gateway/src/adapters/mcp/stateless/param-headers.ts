import type { IncomingHttpHeaders } from 'node:http';
import { decodedHeader } from './header-value.js';
import { memberOf } from './member-of.js';

/** One argument that a client repeats in the header `Mcp-Param-<name>`. */
interface Repeated {
  readonly header: string;
  readonly path: readonly string[];
}

const mark = 'x-mcp-header';
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,128}$/;
const types: readonly unknown[] = ['string', 'integer', 'boolean'];

const known = new WeakMap<readonly string[], ReadonlyMap<string, readonly Repeated[]>>();

/**
 * The header that does not say what the arguments say, where the tool marked them with `x-mcp-header` (MCP 2026-07-28, "Custom
 * headers from tool parameters"); undefined where all of them do. A definition whose marks break the rules has none: clients drop
 * such a tool.
 */
export function paramHeaderProblem(
  definitions: readonly string[],
  { name, argumentsJson }: { readonly name: string; readonly argumentsJson: string },
  headers: IncomingHttpHeaders,
): string | undefined {
  const repeated = repeatedOf(definitions).get(name);
  if (repeated === undefined) return undefined;
  const values: unknown = JSON.parse(argumentsJson);
  const wrong = repeated.find(({ header, path }) => !agrees(headers[header], valueAt(values, path)));
  return wrong?.header;
}

/** By name of the tool; of the same list once. */
function repeatedOf(definitions: readonly string[]): ReadonlyMap<string, readonly Repeated[]> {
  let read = known.get(definitions);
  if (read === undefined) {
    const marked = definitions.filter((text) => text.includes(mark)).map((text): unknown => JSON.parse(text));
    read = new Map(
      marked.map((tool) => [String(memberOf(tool, 'name')), marksOf(memberOf(tool, 'inputSchema'))]),
    );
    known.set(definitions, read);
  }
  return read;
}

function marksOf(schema: unknown): readonly Repeated[] {
  const found = reachable(schema, []);
  const isUnique = new Set(found.map(({ header }) => header)).size === found.length;
  return isUnique && found.every(({ isValid }) => isValid) && marksIn(schema) === found.length ? found : [];
}

/** Marks on properties of properties. */
function reachable(schema: unknown, path: readonly string[]): (Repeated & { readonly isValid: boolean })[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const name = memberOf(schema, mark);
  const isValid = typeof name === 'string' && token.test(name) && types.includes(memberOf(schema, 'type'));
  const own =
    name === undefined || path.length === 0
      ? []
      : [{ header: `mcp-param-${String(name).toLowerCase()}`, path, isValid }];
  const properties = Object.entries(memberOf(schema, 'properties') ?? {});
  return [...own, ...properties.flatMap(([key, each]) => reachable(each, [...path, key]))];
}

/** Marks anywhere. */
function marksIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inside = Object.values(value).reduce<number>((sum, each) => sum + marksIn(each), 0);
  return inside + (Object.hasOwn(value, mark) ? 1 : 0);
}

/** What is absent or null is not repeated; nor is a number that no header can be compared with. */
function agrees(sent: string | string[] | undefined, value: unknown): boolean {
  if (typeof value === 'number' && !Number.isSafeInteger(value)) return true;
  if (typeof value !== 'string' && typeof value !== 'boolean' && typeof value !== 'number') return true;
  if (typeof sent !== 'string') return false;
  const said = decodedHeader(sent);
  if (typeof value === 'number')
    return said !== undefined && /^-?\d+(\.\d+)?$/.test(said) && Number(said) === value;
  return said === String(value);
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce(memberOf, value);
}
