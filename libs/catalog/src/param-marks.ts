/** One argument of a tool that its caller repeats in the header `Mcp-Param-<name>`. */
export interface ParamMark {
  /** As it is written in the schema. */
  readonly name: string;
  /** Of the argument, from the root. */
  readonly path: readonly string[];
}

const mark = 'x-mcp-header';
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,128}$/;
const types: readonly unknown[] = ['string', 'integer', 'boolean'];

/**
 * What an input schema marks with `x-mcp-header` (MCP 2026-07-28, "Custom headers from tool parameters"); undefined where its marks
 * break the rules: clients drop such a tool. Takes schemas of bounded depth alone.
 */
export function paramMarks(inputSchema: unknown): readonly ParamMark[] | undefined {
  const found = reachable(inputSchema, []);
  const names = new Set(found.map(({ name }) => name.toLowerCase()));
  const isSound = names.size === found.length && found.every(({ isValid }) => isValid);
  if (!isSound || marksIn(inputSchema) !== found.length) return undefined;
  return found.map(({ name, path }) => ({ name, path }));
}

/** The value of the argument; undefined where there is none. */
export function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce(memberOf, value);
}

/** Marks on properties of properties. */
function reachable(schema: unknown, path: readonly string[]): (ParamMark & { readonly isValid: boolean })[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const name = memberOf(schema, mark);
  const isValid = typeof name === 'string' && token.test(name) && types.includes(memberOf(schema, 'type'));
  const own = name === undefined || path.length === 0 ? [] : [{ name: String(name), path, isValid }];
  const properties = Object.entries(memberOf(schema, 'properties') ?? {});
  return [...own, ...properties.flatMap(([key, each]) => reachable(each, [...path, key]))];
}

/** Members of a schema whose members are named by its author. */
const byName = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions']);

/** Marks anywhere. `isByName`: the members are no keywords. */
function marksIn(value: unknown, isByName = false): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inside = Object.entries(value).reduce(
    (sum, [name, each]) => sum + marksIn(each, !isByName && byName.has(name)),
    0,
  );
  return inside + (!isByName && Object.hasOwn(value, mark) ? 1 : 0);
}

/** The own member of an object; undefined of anything else. */
function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}
