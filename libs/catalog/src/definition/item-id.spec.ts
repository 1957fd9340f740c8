import { longestItemId } from '@uar/contracts';
import { expect, it } from 'vitest';
import { itemId } from './item-id.js';

it('is what the upstream lists it by', () => {
  const definition = '{"name":"n","uri":"u:1","uriTemplate":"u:{x}"}';
  expect(itemId(definition, 'resources')).toBe('u:1');
  expect(itemId(definition, 'templates')).toBe('u:{x}');
  expect(itemId(definition, 'prompts')).toBe('n');
});

it('is none where nobody could ask for it', () => {
  const named = (id: unknown) => itemId(JSON.stringify({ name: id }), 'prompts');
  for (const id of [undefined, null, 7, ['n'], '']) expect(named(id)).toBeUndefined();
  for (const text of ['7', '[]', '"name"']) expect(itemId(text, 'prompts')).toBeUndefined();
  expect(named('n'.repeat(longestItemId))).toHaveLength(longestItemId);
  expect(named('n'.repeat(longestItemId + 1))).toBeUndefined();
  // Two bytes each.
  expect(named('\u00fc'.repeat(longestItemId / 2 + 1))).toBeUndefined();
});
