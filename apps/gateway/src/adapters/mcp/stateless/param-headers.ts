import type { IncomingHttpHeaders } from 'node:http';
import { paramMarks, valueAt } from '@uar/catalog';
import { decodedHeader } from './header-value.js';
import { memberOf } from './member-of.js';

/** One argument that a client repeats in a header. */
interface Repeated {
  readonly header: string;
  readonly path: readonly string[];
}

const mark = 'x-mcp-header';

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
  const marks = paramMarks(schema) ?? [];
  return marks.map(({ name, path }) => ({ header: `mcp-param-${name.toLowerCase()}`, path }));
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
