import type { Item, ItemListName } from '@uar/contracts';
import { memberString } from '@uar/json-text';

/** The member by which an upstream names what it lists. */
export const idMembers = { resources: 'uri', templates: 'uriTemplate', prompts: 'name' } as const;

export function kindOf(list: ItemListName): Item['kind'] {
  return list === 'prompts' ? 'prompt' : 'resource';
}

/** What the upstream calls an item of this definition; undefined where it has no such name. */
export function idOf(definition: string, list: ItemListName): string | undefined {
  return memberString(definition, idMembers[list]);
}
