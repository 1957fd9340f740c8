import { longestItemId, type ItemListName } from '@uar/contracts';
import { memberString } from '@uar/json-text';

/** The member by which an upstream names what it lists (MCP 2025-11-25, "Resources", "Prompts"). */
export const itemIdMembers = { resources: 'uri', templates: 'uriTemplate', prompts: 'name' } as const;

/**
 * What the upstream calls the item of this definition, the text of a JSON object. Undefined where nobody could ask for it: it has
 * no name, an empty one, or one of more than `longestItemId` bytes.
 */
export function itemId(definition: string, list: ItemListName): string | undefined {
  const id = memberString(definition, itemIdMembers[list]) ?? '';
  return id !== '' && Buffer.byteLength(id) <= longestItemId ? id : undefined;
}
