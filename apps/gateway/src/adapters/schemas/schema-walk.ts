/** Keywords whose value is one schema, a list of schemas (or one), a map of schemas. */
const single = new Set([
  'additionalItems',
  'additionalProperties',
  'contains',
  'contentSchema',
  'else',
  'if',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
]);
const lists = new Set(['allOf', 'anyOf', 'items', 'oneOf', 'prefixItems']);
const maps = new Set([
  '$defs',
  'definitions',
  'dependencies',
  'dependentSchemas',
  'patternProperties',
  'properties',
]);
const references = ['$ref', '$dynamicRef', '$recursiveRef'];

export const schemaBounds = {
  bytes: 65_536,
  depth: 32,
  properties: 500,
  refs: 200,
  /** Members of all `allOf`, `anyOf`, `oneOf`, ... together: each becomes code that compiles and runs. */
  branches: 200,
  patterns: 50,
  patternLength: 1_000,
} as const;

type Schema = Record<string, unknown>;

export type Walked =
  | { readonly kind: 'walked'; readonly schemas: readonly Schema[]; readonly referring: readonly Schema[] }
  | { readonly kind: 'beyond'; readonly cause: string };

/**
 * Every schema object of a schema, found through the keywords that hold schemas. Refuses what is larger than an upstream
 * may send, references to other documents, and references into places that hold no schema.
 */
export function walkSchema(root: Schema): Walked {
  const schemas: Schema[] = [];
  const referring: Schema[] = [];
  const open: { schema: Schema; depth: number }[] = [{ schema: root, depth: 0 }];
  const sums: Sums = { properties: 0, branches: 0, patterns: 0 };
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { schema, depth } = next;
    if (depth > schemaBounds.depth) return beyond('nested too deep');
    if ('$async' in schema) return beyond('asynchronous');
    schemas.push(schema);
    if (references.some((keyword) => typeof schema[keyword] === 'string')) referring.push(schema);
    for (const [keyword, value] of Object.entries(schema)) {
      add(sums, keyword, value);
      for (const child of childrenOf(keyword, value)) open.push({ schema: child, depth: depth + 1 });
    }
    const excess = excessOf(sums);
    if (excess !== undefined) return beyond(excess);
    if (referring.length > schemaBounds.refs) return beyond('too many references');
  }
  const stray = strayReference(root, schemas, referring);
  return stray === undefined ? { kind: 'walked', schemas, referring } : beyond(stray);
}

interface Sums {
  properties: number;
  branches: number;
  patterns: number;
}

function add(sums: Sums, keyword: string, value: unknown): void {
  if (maps.has(keyword) && isObject(value)) sums.properties += Object.keys(value).length;
  if (lists.has(keyword) && Array.isArray(value)) sums.branches += value.length;
  const patterns =
    keyword === 'pattern'
      ? [value]
      : keyword === 'patternProperties' && isObject(value)
        ? Object.keys(value)
        : [];
  for (const pattern of patterns)
    sums.patterns += String(pattern).length > schemaBounds.patternLength ? schemaBounds.patterns + 1 : 1;
}

function excessOf({ properties, branches, patterns }: Sums): string | undefined {
  if (properties > schemaBounds.properties) return 'too many properties';
  if (branches > schemaBounds.branches) return 'too many branches';
  return patterns > schemaBounds.patterns ? 'too many or too long patterns' : undefined;
}

function childrenOf(keyword: string, value: unknown): Schema[] {
  if (single.has(keyword) || lists.has(keyword))
    return (Array.isArray(value) ? value : [value]).filter(isObject);
  return maps.has(keyword) && isObject(value) ? Object.values(value).filter(isObject) : [];
}

function strayReference(
  root: Schema,
  schemas: readonly Schema[],
  referring: readonly Schema[],
): string | undefined {
  const known = new Set<unknown>(schemas);
  const anchors = new Set(schemas.flatMap((it) => [it['$anchor'], it['$dynamicAnchor']]));
  for (const schema of referring) {
    for (const keyword of references) {
      const reference = schema[keyword];
      if (typeof reference !== 'string') continue;
      if (!reference.startsWith('#')) return 'reference to another document';
      const fragment = decoded(reference.slice(1));
      const isKnown =
        fragment === '' || fragment.startsWith('/')
          ? known.has(pointed(root, fragment))
          : anchors.has(fragment);
      if (!isKnown) return 'reference into no schema';
    }
  }
  return undefined;
}

function pointed(root: Schema, pointer: string): unknown {
  let at: unknown = root;
  for (const part of pointer.split('/').slice(1)) {
    if (typeof at !== 'object' || at === null) return undefined;
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    at = Object.hasOwn(at, key) ? Reflect.get(at, key) : undefined;
  }
  return at;
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function beyond(cause: string): Walked {
  return { kind: 'beyond', cause: `schema_${cause.replaceAll(' ', '_')}` };
}
