type Schema = Readonly<Record<string, unknown>>;

/** All schemas that may speak about one and the same value, whichever branch of them the value takes. */
export type Position = readonly Schema[];

const references = ['$ref', '$dynamicRef', '$recursiveRef'];
const branches = ['allOf', 'anyOf', 'oneOf', 'if', 'then', 'else'];
const byCondition = ['dependentSchemas', 'dependencies'];

/**
 * Where an input schema says `format: password`: nested, in arrays, behind local references, in any branch of `allOf`,
 * `anyOf`, `oneOf` and conditions. A pattern of `patternProperties` is not run: what it may be about is taken as meant.
 */
export class PasswordSchemas {
  readonly root: Position;
  readonly #document: Schema;
  readonly #anchors = new Map<string, Schema>();

  constructor(inputSchema: unknown) {
    this.#document = isSchema(inputSchema) ? inputSchema : {};
    const isSpoken = this.#readThrough(this.#document);
    this.root = isSpoken ? this.#widened([this.#document]) : [];
  }

  isPassword(position: Position): boolean {
    return position.some((schema) => schema['format'] === 'password');
  }

  member(position: Position, name: string): Position {
    return this.#widened(position.flatMap((schema) => ofMember(schema, name)));
  }

  element(position: Position, index: number): Position {
    return this.#widened(position.flatMap((schema) => ofElement(schema, index)));
  }

  /** Notes every anchor; is there a password at all? Most schemas have none, and nothing is walked for them. */
  #readThrough(value: unknown): boolean {
    let isSpoken = false;
    const open: unknown[] = [value];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (isSchema(at)) this.#note(at);
      if (isSchema(at) && at['format'] === 'password') isSpoken = true;
      if (typeof at === 'object' && at !== null) open.push(...Object.values(at).filter(isNested));
    }
    return isSpoken;
  }

  #note(schema: Schema): void {
    for (const keyword of ['$anchor', '$dynamicAnchor']) {
      const anchor = schema[keyword];
      if (typeof anchor === 'string') this.#anchors.set(anchor, schema);
    }
  }

  /** Those schemas and all that they refer to or combine. */
  #widened(schemas: readonly Schema[]): Position {
    const found = new Set<Schema>();
    const open = [...schemas];
    for (let schema = open.pop(); schema !== undefined; schema = open.pop()) {
      if (found.has(schema)) continue;
      found.add(schema);
      for (const keyword of branches) open.push(...schemasIn(schema[keyword]));
      for (const keyword of byCondition) open.push(...schemasOfMap(schema[keyword]));
      for (const keyword of references) open.push(...schemasIn(this.#referred(schema[keyword])));
    }
    return [...found];
  }

  #referred(reference: unknown): unknown {
    if (typeof reference !== 'string' || !reference.startsWith('#')) return undefined;
    const fragment = decoded(reference.slice(1));
    if (fragment !== '' && !fragment.startsWith('/')) return this.#anchors.get(fragment);
    let at: unknown = this.#document;
    for (const part of fragment.split('/').slice(1)) {
      if (typeof at !== 'object' || at === null) return undefined;
      const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
      at = Object.hasOwn(at, key) ? Reflect.get(at, key) : undefined;
    }
    return at;
  }
}

function ofMember(schema: Schema, name: string): Schema[] {
  const properties = schema['properties'];
  if (isSchema(properties) && Object.hasOwn(properties, name)) return schemasIn(properties[name]);
  return [
    ...schemasOfMap(schema['patternProperties']),
    ...schemasIn(schema['additionalProperties']),
    ...schemasIn(schema['unevaluatedProperties']),
  ];
}

function ofElement(schema: Schema, index: number): Schema[] {
  const { prefixItems, items } = schema;
  const listed = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
  const own = index < listed.length ? schemasIn(listed[index]) : schemasIn(Array.isArray(items) ? [] : items);
  return [
    ...own,
    ...(index < listed.length ? [] : schemasIn(schema['additionalItems'])),
    ...schemasIn(schema['unevaluatedItems']),
    ...schemasIn(schema['contains']),
  ];
}

function schemasIn(value: unknown): Schema[] {
  return (Array.isArray(value) ? value : [value]).filter(isSchema);
}

function schemasOfMap(value: unknown): Schema[] {
  return isSchema(value) ? Object.values(value).filter(isSchema) : [];
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
