import type { CedarQuestion, CedarValue } from '../../domain/cedar/cedar.js';
import { construct } from './extensions.fixture.js';
import { bool, type Value, type ValueOf } from './values.fixture.js';

export interface KnownEntity {
  readonly attributes: ReadonlyMap<string, Value>;
  readonly tags: ReadonlyMap<string, Value>;
  readonly parents: readonly string[];
}

type Uid = Pick<ValueOf<'entity'>, 'type' | 'id'>;

/** The entities of a question and the graph of their parents. */
export class Hierarchy {
  readonly #entities: ReadonlyMap<string, KnownEntity>;

  constructor(
    entities: CedarQuestion['entities'],
    private readonly actionGroups: Readonly<Record<string, readonly string[]>>,
  ) {
    this.#entities = new Map(
      entities.map(({ uid, attrs, parents, tags }) => [
        keyOf(uid),
        { attributes: membersOf(attrs), tags: membersOf(tags ?? {}), parents: parents.map(keyOf) },
      ]),
    );
  }

  find(uid: Uid): KnownEntity | undefined {
    return this.#entities.get(keyOf(uid));
  }

  /** The same, or an ancestor of any degree. */
  isIn(entity: Uid, place: Uid): boolean {
    const open = [keyOf(entity)];
    const seen = new Set<string>();
    for (let key = open.pop(); key !== undefined; key = open.pop()) {
      if (key === keyOf(place)) return true;
      if (seen.has(key)) continue;
      seen.add(key);
      open.push(...(this.#entities.get(key)?.parents ?? this.groupsOf(key)));
    }
    return false;
  }

  private groupsOf(key: string): readonly string[] {
    return this.actionGroups[key] ?? [];
  }
}

function keyOf({ type, id }: Uid): string {
  return `${type} ${id}`;
}

export function membersOf(json: Readonly<Record<string, CedarValue>>): ReadonlyMap<string, Value> {
  return new Map(Object.entries(json).map(([name, value]) => [name, valueOf(value)]));
}

function valueOf(json: CedarValue): Value {
  if (typeof json === 'boolean') return bool(json);
  if (typeof json === 'number') return { kind: 'long', is: BigInt(json) };
  if (typeof json === 'string') return { kind: 'string', is: json };
  if (Array.isArray(json)) return { kind: 'set', members: json.map(valueOf) };
  const { __entity: entity, __extn: extension, ...members } = json as Record<string, CedarValue>;
  if (entity !== undefined) return { kind: 'entity', ...(entity as unknown as Uid) };
  if (extension === undefined) return { kind: 'record', members: membersOf(members) };
  const { fn, arg } = extension as unknown as { fn: string; arg: string };
  const value = construct(fn, arg);
  if (value === undefined) throw new Error(`no extension ${fn}`);
  return value;
}
