import type { EffectiveEntry, EffectiveList } from '../catalog/effective-catalog.js';
import { toolViewText } from './tool-view.js';

export interface ToolListAsk {
  readonly server?: string | undefined;
  readonly q?: string | undefined;
  readonly cursor?: string | undefined;
  readonly limit: number;
}

/** One page of the list as JSON text. A cursor is the last name of the page before: it holds when the catalog changes. */
export function toolListText(list: EffectiveList, ask: ToolListAsk): string {
  const wanted = list.entries.filter((it) => matches(it, ask));
  const page = wanted.slice(0, ask.limit);
  const last = page.at(-1);
  const next = wanted.length > page.length && last !== undefined ? cursorOf(last) : undefined;
  const members = [
    `"tools":[${page.map(toolViewText).join(',')}]`,
    `"catalog_version":${JSON.stringify(list.catalogVersion)}`,
    `"incomplete":${JSON.stringify(list.incomplete)}`,
    ...(next === undefined ? [] : [`"next_cursor":${JSON.stringify(next)}`]),
  ];
  return `{${members.join(',')}}`;
}

function matches(it: EffectiveEntry, { server, q, cursor }: ToolListAsk): boolean {
  const { name, facts, definition_json } = it.entry;
  if (cursor !== undefined && name <= Buffer.from(cursor, 'base64url').toString()) return false;
  if (server !== undefined && facts.server !== server) return false;
  if (q === undefined) return true;
  const words = q.toLowerCase().split(/\s+/u);
  const text = `${name} ${definition_json}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

function cursorOf({ entry }: EffectiveEntry): string {
  return Buffer.from(entry.name).toString('base64url');
}
