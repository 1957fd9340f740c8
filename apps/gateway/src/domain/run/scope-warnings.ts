import type { Scope, ScopeWarning, Selection } from '@uar/contracts';
import type { EffectiveList } from '../catalog/effective-catalog.js';

/** What the caller may discover, as selections name it. */
export interface KnownIds {
  readonly tools: ReadonlySet<string>;
  readonly mcp_servers: ReadonlySet<string>;
}

export function knownIds({ entries }: EffectiveList): KnownIds {
  return {
    tools: new Set(entries.map(({ entry }) => entry.name)),
    mcp_servers: new Set(entries.map(({ entry }) => entry.facts.server)),
  };
}

const members = ['tools', 'mcp_servers'] as const;
const mostWarnings = 100;

/** Ids that name nothing the caller can see are kept, since they may come to mean something; whoever wrote them is told. */
export function scopeWarnings(place: string, scope: Scope | undefined, known: KnownIds): ScopeWarning[] {
  if (scope === undefined) return [];
  return members.flatMap((member) => selectionWarnings(`${place}${member}`, scope[member], known[member]));
}

function selectionWarnings(
  place: string,
  selection: Selection | undefined,
  known: ReadonlySet<string>,
): ScopeWarning[] {
  if (selection === undefined) return [];
  const isBare = selection.mode === 'selected' && selection.ids === undefined;
  const bare: ScopeWarning = {
    code: 'selected_without_ids',
    key: place,
    message: 'selected without ids leaves nothing',
  };
  return [
    ...(isBare ? [bare] : []),
    ...unknownIds(`${place}.ids`, selection.ids, known),
    ...unknownIds(`${place}.denied_ids`, selection.denied_ids, known),
  ];
}

function unknownIds(
  place: string,
  ids: readonly string[] | undefined,
  known: ReadonlySet<string>,
): ScopeWarning[] {
  const unknown = (ids ?? []).filter((id) => !known.has(id)).slice(0, mostWarnings);
  return unknown.map((id) => ({
    code: 'unknown_id',
    key: place,
    message: `${JSON.stringify(id)} names nothing that you can see now`,
  }));
}
