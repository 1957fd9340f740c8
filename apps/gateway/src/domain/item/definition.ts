import type { Item, ItemListName } from '@uar/contracts';
import { memberText } from '@uar/json-text';

/** The member by which an upstream names what it lists. */
export const idMembers = { resources: 'uri', templates: 'uriTemplate', prompts: 'name' } as const;

export function kindOf(list: ItemListName): Item['kind'] {
  return list === 'prompts' ? 'prompt' : 'resource';
}

/** What the upstream calls an item of this definition; undefined where it has no such name. */
export function idOf(definition: string, list: ItemListName): string | undefined {
  return stringOf(memberText(definition, idMembers[list]));
}

/** Of the JSON text of a string. */
export function stringOf(json: string | undefined): string | undefined {
  if (json?.startsWith('"') !== true) return undefined;
  const value: unknown = JSON.parse(json);
  return typeof value === 'string' ? value : undefined;
}
