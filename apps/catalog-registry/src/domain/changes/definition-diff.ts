import { visibleText, type DefinitionFlag } from '@uar/catalog';
import type { DefinitionDiff, DefinitionDifference } from '@uar/contracts';
import { cut, cutPair } from './shown-value.js';

const compared = ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations'] as const;
const mostDifferences = 50;
/** Of all values together, in characters. */
const mostShown = 16_000;
const longestPointer = 300;

type Members = ReadonlyMap<string, unknown>;
type Raw =
  | { readonly kind: 'added'; readonly pointer: string; readonly new: unknown }
  | { readonly kind: 'removed'; readonly pointer: string; readonly old: unknown }
  | { readonly kind: 'changed'; readonly pointer: string; readonly old: unknown; readonly new: unknown };

export interface DiffAsk {
  /** Text of the reviewed definition; absent where there is none. */
  readonly oldText?: string | undefined;
  readonly newText: string;
  /** A definition was reviewed, whether its text is there or not. */
  readonly wasReviewed: boolean;
  readonly flags: readonly DefinitionFlag[];
}

/** The differences of the digested members of two definitions, for people: bounded, and with nothing invisible. */
export function definitionDiff({ oldText, newText, wasReviewed, flags }: DiffAsk): DefinitionDiff {
  const all = [...differences('', membersOf(oldText), membersOf(newText))];
  const shown: DefinitionDifference[] = [];
  let characters = 0;
  for (const raw of all.slice(0, mostDifferences)) {
    const difference = shownDifference(raw);
    characters += JSON.stringify(difference).length;
    if (characters > mostShown) break;
    shown.push(difference);
  }
  const basis = wasReviewed ? 'not_kept' : 'nothing';
  return {
    against: oldText === undefined ? basis : 'reviewed',
    differences: shown,
    left_out: all.length - shown.length,
    flags: flags.map(({ message }) => visibleText(message)),
  };
}

function* differences(pointer: string, old: Members, next: Members): Generator<Raw> {
  for (const key of new Set([...old.keys(), ...next.keys()])) {
    const at = `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (!next.has(key)) yield { kind: 'removed', pointer: at, old: old.get(key) };
    else if (!old.has(key)) yield { kind: 'added', pointer: at, new: next.get(key) };
    else yield* differing(at, old.get(key), next.get(key));
  }
}

function* differing(pointer: string, old: unknown, next: unknown): Generator<Raw> {
  const [before, after] = [partsOf(old), partsOf(next)];
  if (before !== undefined && after !== undefined && Array.isArray(old) === Array.isArray(next))
    yield* differences(pointer, before, after);
  else if (JSON.stringify(old) !== JSON.stringify(next)) yield { kind: 'changed', pointer, old, new: next };
}

function shownDifference(raw: Raw): DefinitionDifference {
  const pointer = cut(visibleText(raw.pointer), longestPointer);
  switch (raw.kind) {
    case 'added':
      return { kind: 'added', pointer, new: cut(jsonOf(raw.new)) };
    case 'removed':
      return { kind: 'removed', pointer, old: cut(jsonOf(raw.old)) };
    case 'changed':
      return { kind: 'changed', pointer, ...cutPair(jsonOf(raw.old), jsonOf(raw.new)) };
  }
}

function jsonOf(value: unknown): string {
  return visibleText(JSON.stringify(value));
}

function membersOf(text: string | undefined): Members {
  const all = text === undefined ? undefined : partsOf(JSON.parse(text));
  return new Map(compared.flatMap((key) => (all?.has(key) === true ? [[key, all.get(key)]] : [])));
}

function partsOf(value: unknown): Members | undefined {
  return typeof value === 'object' && value !== null ? new Map(Object.entries(value)) : undefined;
}
