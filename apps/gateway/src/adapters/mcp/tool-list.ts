import { JsonText, withMember } from '@uar/json-text';
import type { EffectiveList } from '../../domain/catalog/effective-catalog.js';

const pageSize = 1000;

/** A page of `tools/list`, as text: each definition is the upstream's own with its name replaced. */
export type ToolPage = { readonly kind: 'page'; readonly result: JsonText } | { readonly kind: 'bad_cursor' };

const written = new WeakMap<EffectiveList, readonly string[]>();

/** The tools that this caller could call now: what is unavailable or quarantined is not advertised (DESIGN.md 5). */
export function toolPage(list: EffectiveList, cursor: string | undefined): ToolPage {
  const tools = toolTexts(list);
  const start = cursor === undefined ? 0 : Number(cursor);
  if (!Number.isInteger(start) || start < 0 || start > tools.length) return { kind: 'bad_cursor' };
  const end = start + pageSize;
  const next = end < tools.length ? `,"nextCursor":"${end}"` : '';
  return { kind: 'page', result: new JsonText(`{"tools":[${tools.slice(start, end).join(',')}]${next}}`) };
}

function toolTexts(list: EffectiveList): readonly string[] {
  const known = written.get(list);
  if (known !== undefined) return known;
  const texts = list.entries
    .filter(({ entry }) => entry.state === 'available')
    .map(({ entry }) => withMember(entry.definition_json, 'name', JSON.stringify(entry.name)));
  written.set(list, texts);
  return texts;
}
