import type { PartyScope } from '../policy-json.js';
import { placeOf } from '../../question/entities.js';
import type { ToolSchema } from './tool-schema.js';

const known = new WeakMap<readonly ToolSchema[], KnownTools>();

/** The tools of a catalog by what a policy may name: themselves, their server, family, labels and tenant. */
export class KnownTools {
  readonly #byPlace = new Map<string, ToolSchema[]>();
  readonly #ids = new Map<string, Set<string>>();

  /** A catalog gives the same list until it changes. */
  static of(tools: readonly ToolSchema[]): KnownTools {
    const made = known.get(tools) ?? new KnownTools(tools);
    known.set(tools, made);
    return made;
  }

  private constructor(readonly all: readonly ToolSchema[]) {
    for (const tool of all) {
      const { uid, ancestors } = placeOf(tool.facts);
      for (const place of [uid, ...ancestors]) this.#put(place.type, place.id, tool);
    }
  }

  /** Ids of one type that some tool has. */
  ids(type: string): readonly string[] {
    return [...(this.#ids.get(type) ?? [])];
  }

  has(type: string, id: string): boolean {
    return this.#byPlace.has(keyOf(type, id));
  }

  within(scope: PartyScope): readonly ToolSchema[] {
    switch (scope.op) {
      case 'All':
        return this.all;
      case '==':
        return scope.entity.type === 'UAR::Tool' ? this.#at(scope.entity) : [];
      case 'in':
        return this.#at(scope.entity);
      case 'is':
        if (scope.entity_type !== 'UAR::Tool') return [];
        return scope.in === undefined ? this.all : this.#at(scope.in.entity);
    }
  }

  #at({ type, id }: { readonly type: string; readonly id: string }): readonly ToolSchema[] {
    return this.#byPlace.get(keyOf(type, id)) ?? [];
  }

  #put(type: string, id: string, tool: ToolSchema): void {
    const ids = this.#ids.get(type) ?? new Set();
    this.#ids.set(type, ids.add(id));
    const key = keyOf(type, id);
    const tools = this.#byPlace.get(key);
    if (tools === undefined) this.#byPlace.set(key, [tool]);
    else tools.push(tool);
  }
}

function keyOf(type: string, id: string): string {
  return `${type} ${id}`;
}
