import type { CedarQuestion, CedarValue, Entity } from '../cedar/cedar.js';
import type { Slice } from '../policy/slices.js';
import { isBag } from './entities.js';

/**
 * A question as the policies of one slice can tell it from others: of the arguments only what they name. What thousands of
 * members cost is then their reading, once, and nothing of what follows.
 */
export function narrowed(question: CedarQuestion, slice: Slice): CedarQuestion {
  const { part, tags } = slice;
  return {
    ...question,
    ...(part === 'whole' ? {} : { part }),
    context: narrowedContext(question.context, slice),
    entities: tags === undefined ? question.entities : narrowedBags(question.entities, tags),
  };
}

function narrowedBags(entities: readonly Entity[], tags: readonly string[]): readonly Entity[] {
  return entities.flatMap((entity) => {
    if (!isBag(entity.uid) || entity.tags === undefined) return [entity];
    const { tags: held } = entity;
    const kept = tags.flatMap((tag): [string, CedarValue][] => {
      const value = Object.hasOwn(held, tag) ? held[tag] : undefined;
      return value === undefined ? [] : [[tag, value]];
    });
    return kept.length === 0 ? [] : [{ ...entity, tags: Object.fromEntries(kept) }];
  });
}

const lists = ['paths', 'nulls'] as const;

function narrowedContext(context: CedarQuestion['context'], slice: Slice): CedarQuestion['context'] {
  const { args } = context;
  if (!isRecord(args) || ['*', 'args'].some((whole) => slice.wholes.includes(whole))) return context;
  const kept = lists.flatMap((name): [string, CedarValue][] => {
    const list = args[name];
    const asked = slice.members[name] ?? (slice.attributes.includes(name) ? undefined : []);
    return !Array.isArray(list) || asked === undefined
      ? []
      : [[name, asked.filter((member) => list.includes(member))]];
  });
  return { ...context, args: { ...args, ...Object.fromEntries(kept) } };
}

function isRecord(value: CedarValue | undefined): value is Readonly<Record<string, CedarValue>> {
  return typeof value === 'object' && !Array.isArray(value);
}
