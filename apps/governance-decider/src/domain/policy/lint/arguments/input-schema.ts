import { SchemaReader, type SchemaStep } from './schema-steps.js';

/** What a schema says of one pointer. */
export type Looked =
  | { readonly kind: 'there'; readonly types: ReadonlySet<string> }
  /** The schema is closed around it. */
  | { readonly kind: 'absent' }
  /** The schema lets anything be there. */
  | { readonly kind: 'unknown' };

/** One pointer that a schema names, as the bags write it. */
export interface NamedPointer {
  readonly pointer: string;
  readonly types: ReadonlySet<string>;
  /** Below an array: its values stand in the bag of sets. */
  readonly isRepeated: boolean;
}

const maxPointers = 512;
const maxDepth = 8;
/** Schemas that may hold of one place; beyond, nothing is said about it. */
const maxSchemas = 100;
const known = new WeakMap<object, InputSchema>();

/** The arguments of a tool by pointer. Schemas do not change, so what was found is kept with them. */
export class InputSchema {
  readonly #reader: SchemaReader;
  readonly #looked = new Map<string, Looked>();
  #pointers: readonly NamedPointer[] | undefined;

  private constructor(private readonly root: unknown) {
    this.#reader = new SchemaReader(root);
  }

  static of(schema: unknown): InputSchema {
    if (typeof schema !== 'object' || schema === null) return new InputSchema(schema);
    const made = known.get(schema) ?? new InputSchema(schema);
    known.set(schema, made);
    return made;
  }

  look(pointer: string): Looked {
    const before = this.#looked.get(pointer);
    if (before !== undefined) return before;
    const looked = this.#look(pointer);
    if (this.#looked.size < maxPointers) this.#looked.set(pointer, looked);
    return looked;
  }

  /** Every pointer that is named, outer ones first, as far as 8 levels and 512 pointers go. */
  pointers(): readonly NamedPointer[] {
    this.#pointers ??= this.#list();
    return this.#pointers;
  }

  /** True when nothing but what is named can be there, on the first level. */
  get isClosed(): boolean {
    return this.#reader.step(this.root, { kind: 'member', name: '\0' }).bound === 'closed';
  }

  #look(pointer: string): Looked {
    let schemas: readonly unknown[] = [this.root];
    for (const step of stepsOf(pointer)) {
      const stepped = schemas.map((schema) => this.#reader.step(schema, step));
      schemas = distinct(stepped.flatMap((one) => one.schemas));
      if (schemas.length > maxSchemas) return { kind: 'unknown' };
      if (schemas.length === 0)
        return { kind: stepped.every(({ bound }) => bound === 'closed') ? 'absent' : 'unknown' };
    }
    return { kind: 'there', types: this.#typesOf(schemas) };
  }

  #typesOf(schemas: readonly unknown[]): ReadonlySet<string> {
    return new Set(schemas.flatMap((schema) => [...this.#reader.types(schema)]));
  }

  #list(): readonly NamedPointer[] {
    const found: NamedPointer[] = [];
    let level: Place[] = [{ pointer: '', schemas: [this.root], isRepeated: false }];
    for (let depth = 0; depth < maxDepth && level.length > 0; depth += 1) {
      level = level.flatMap((place) => this.#below(place)).slice(0, maxPointers - found.length);
      for (const { pointer, schemas, isRepeated } of level)
        found.push({ pointer, types: this.#typesOf(schemas), isRepeated });
    }
    return found;
  }

  #below({ pointer, schemas, isRepeated }: Place): readonly Place[] {
    const members = schemas.map((schema) => this.#reader.members(schema));
    const names = new Set(members.flatMap((one) => [...one.names]));
    const into = (step: SchemaStep) =>
      distinct(schemas.flatMap((schema) => this.#reader.step(schema, step).schemas)).slice(0, maxSchemas);
    const places = [...names].map((name) => ({
      pointer: `${pointer}/${escaped(name)}`,
      schemas: into({ kind: 'member', name }),
      isRepeated,
    }));
    if (!members.some(({ hasElements }) => hasElements)) return places;
    return [...places, { pointer: `${pointer}/*`, schemas: into({ kind: 'element' }), isRepeated: true }];
  }
}

function distinct(schemas: readonly unknown[]): readonly unknown[] {
  return [...new Set(schemas)];
}

interface Place {
  readonly pointer: string;
  readonly schemas: readonly unknown[];
  readonly isRepeated: boolean;
}

function stepsOf(pointer: string): readonly SchemaStep[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => (step === '*' ? { kind: 'element' } : { kind: 'member', name: unescaped(step) }));
}

/** As the bags write member names (domain/facts/leaves.ts). */
function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('*', '~2');
}

function unescaped(step: string): string {
  return step.replaceAll('~2', '*').replaceAll('~1', '/').replaceAll('~0', '~');
}
