import { isExpression as isRecord } from '../expressions.js';

/**
 * What a JSON schema says of one step into a value. `silent`: nothing at all, so anything may be there; `closed`: it lists
 * what there is, or forbids the rest; `open`: it says that there may be more, or says it in a way not read here.
 */
type Bound = 'silent' | 'closed' | 'open';

export interface Stepped {
  readonly schemas: readonly unknown[];
  readonly bound: Bound;
}

/** A step by member name, or into the elements of an array. */
export type SchemaStep = { readonly kind: 'member'; readonly name: string } | { readonly kind: 'element' };

type Schema = Readonly<Record<string, unknown>>;

const maxParts = 200;
const maxVisits = 50_000;

/**
 * One schema and all it is made of, with references into `root` resolved. An upstream wrote it, so what may be read of it is
 * bounded, per step and in all; what lies beyond counts as open.
 */
export class SchemaReader {
  #visits = 0;

  constructor(private readonly root: unknown) {}

  step(schema: unknown, step: SchemaStep): Stepped {
    return this.#step(schema, step, new Set());
  }

  /** Types of the values that fit, as JSON names them; `any` when nothing is said. */
  types(schema: unknown): ReadonlySet<string> {
    const found = this.#types(schema, new Set());
    return found.size === 0 ? new Set(['any']) : found;
  }

  /** Names of members that the schema or a part of it lists, and whether it speaks of elements. */
  members(schema: unknown): { readonly names: ReadonlySet<string>; readonly hasElements: boolean } {
    const names = new Set<string>();
    let hasElements = false;
    const seen = new Set<unknown>();
    const open = [schema];
    while (open.length > 0 && !this.#isEnough(seen)) {
      const part = open.pop();
      if (!isRecord(part) || seen.has(part)) continue;
      seen.add(part);
      if (isRecord(part['properties'])) for (const name of Object.keys(part['properties'])) names.add(name);
      hasElements ||= 'items' in part || 'prefixItems' in part;
      open.push(...this.#conjuncts(part), ...alternatives(part).flat(), ...dependents(part));
    }
    return { names, hasElements };
  }

  #step(schema: unknown, step: SchemaStep, seen: Set<unknown>): Stepped {
    if (schema === false) return { schemas: [], bound: 'closed' };
    if (schema === true || !isRecord(schema))
      return { schemas: [], bound: schema === true ? 'silent' : 'open' };
    if (this.#isEnough(seen)) return { schemas: [], bound: 'open' };
    if (seen.has(schema)) return { schemas: [], bound: 'silent' };
    seen.add(schema);
    if (!mayBe(schema, step.kind === 'member' ? 'object' : 'array')) return { schemas: [], bound: 'closed' };
    const into = (part: unknown) => this.#step(part, step, seen);
    const groups = alternatives(schema).map((group) => anyOf(group.map(into)));
    return allOf([
      step.kind === 'member' ? intoMember(schema, step.name) : intoElement(schema),
      ...this.#conjuncts(schema).map(into),
      ...groups,
      ...dependents(schema).map((part) => ({ schemas: into(part).schemas, bound: 'silent' as const })),
    ]);
  }

  #types(schema: unknown, seen: Set<unknown>): Set<string> {
    if (!isRecord(schema) || this.#isEnough(seen) || seen.has(schema)) return new Set();
    seen.add(schema);
    const own = ownTypes(schema);
    if (own !== undefined) return new Set(own);
    const parts = [...this.#conjuncts(schema), ...alternatives(schema).flat()];
    return new Set(parts.flatMap((part) => [...this.#types(part, seen)]));
  }

  #isEnough(seen: ReadonlySet<unknown>): boolean {
    this.#visits += 1;
    return seen.size >= maxParts || this.#visits > maxVisits;
  }

  #conjuncts(schema: Schema): readonly unknown[] {
    const all = Array.isArray(schema['allOf']) ? (schema['allOf'] as unknown[]) : [];
    const references = ['$ref', '$dynamicRef', '$recursiveRef'].filter((key) => key in schema);
    return [...all, ...references.map((key) => this.#target(schema[key]))];
  }

  /** The target of a reference by pointer into this very schema; nothing readable for any other. */
  #target(reference: unknown): unknown {
    if (typeof reference !== 'string' || !/^#(?:\/|$)/.test(reference)) return undefined;
    let current: unknown = this.root;
    for (const step of reference.split('/').slice(1)) {
      const name = decoded(step).replaceAll('~1', '/').replaceAll('~0', '~');
      if (Array.isArray(current)) current = (current as unknown[])[Number(name)];
      else current = isRecord(current) && Object.hasOwn(current, name) ? current[name] : undefined;
    }
    return current;
  }
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

/** Groups of which one member holds. */
function alternatives(schema: Schema): readonly (readonly unknown[])[] {
  const groups = ['anyOf', 'oneOf'].flatMap((key) => {
    const group = schema[key];
    return Array.isArray(group) ? [group as unknown[]] : [];
  });
  const branches =
    'then' in schema || 'else' in schema ? [[schema['then'] ?? true, schema['else'] ?? true]] : [];
  return [...groups, ...branches];
}

function dependents(schema: Schema): readonly unknown[] {
  return ['dependentSchemas', 'dependencies'].flatMap((key) => {
    const parts = schema[key];
    return isRecord(parts) ? Object.values(parts).filter((part) => !Array.isArray(part)) : [];
  });
}

function intoMember(schema: Schema, name: string): Stepped {
  const listed = schema['properties'];
  const more = schema['additionalProperties'] ?? schema['unevaluatedProperties'];
  const found = isRecord(listed) && Object.hasOwn(listed, name) ? [listed[name]] : [];
  if (found.length > 0) return { schemas: found, bound: 'closed' };
  if (isRecord(schema['patternProperties']) && Object.keys(schema['patternProperties']).length > 0)
    return { schemas: [], bound: 'open' };
  if (more === false) return { schemas: [], bound: 'closed' };
  if (more !== undefined) return { schemas: isRecord(more) ? [more] : [], bound: 'open' };
  return { schemas: [], bound: isRecord(listed) ? 'closed' : 'silent' };
}

function intoElement(schema: Schema): Stepped {
  const { items, prefixItems, additionalItems } = schema;
  const first: unknown = Array.isArray(items) ? items : prefixItems;
  const rest: unknown = Array.isArray(items) ? additionalItems : items;
  const places = Array.isArray(first) ? (first as unknown[]) : [];
  if (isRecord(rest)) return { schemas: [...places, rest], bound: 'closed' };
  if (rest === false) return { schemas: places, bound: 'closed' };
  return { schemas: places, bound: rest === true || places.length > 0 ? 'open' : 'silent' };
}

function allOf(parts: readonly Stepped[]): Stepped {
  const bounds = parts.map(({ bound }) => bound);
  const bound = (['open', 'closed'] as const).find((one) => bounds.includes(one)) ?? 'silent';
  return { schemas: parts.flatMap(({ schemas }) => schemas), bound };
}

function anyOf(parts: readonly Stepped[]): Stepped {
  const isClosed = parts.length > 0 && parts.every(({ bound }) => bound === 'closed');
  const isOpen = parts.some(({ bound }) => bound === 'open');
  const bound = isOpen ? 'open' : isClosed ? 'closed' : 'silent';
  return { schemas: parts.flatMap(({ schemas }) => schemas), bound };
}

function mayBe(schema: Schema, type: 'object' | 'array'): boolean {
  return ownTypes(schema)?.includes(type) ?? true;
}

function ownTypes(schema: Schema): readonly string[] | undefined {
  const { type } = schema;
  if (typeof type === 'string') return [normal(type)];
  if (Array.isArray(type)) return type.map((one) => normal(String(one)));
  if (Array.isArray(schema['enum'])) return (schema['enum'] as unknown[]).map(typeOfValue);
  if ('const' in schema) return [typeOfValue(schema['const'])];
  if ('properties' in schema) return ['object'];
  return 'items' in schema || 'prefixItems' in schema ? ['array'] : undefined;
}

function normal(type: string): string {
  return type === 'integer' ? 'number' : type;
}

function typeOfValue(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
