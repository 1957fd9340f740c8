import { nearest } from '@uar/nearest';
import { isBag } from '../../question/entities.js';
import type { PolicyJson } from '../policy-json.js';
import { entitiesIn, expressionsIn, isExpression } from './expressions.js';
import type { Place } from './place.js';
import { malformedPointers } from './arguments/pointer-lint.js';
import { tokensOf, type PolicyText } from './policy-text.js';
import type { PolicyProblem } from './problem.js';

const knownAnnotations = ['id', 'reason'];
const reservedActions = ['callToolApproved', 'invoke'];

/** How many parts an id has that begins with a tenant: `<tenant>/<name>`, `<tenant>/<server>/<tool>`. */
const qualified: Readonly<Record<string, { readonly parts: number; readonly form: string }>> = {
  'UAR::User': { parts: 2, form: '<tenant>/<subject>' },
  'UAR::Agent': { parts: 2, form: '<tenant>/<agent>' },
  'UAR::Role': { parts: 2, form: '<tenant>/<role>' },
  'UAR::Group': { parts: 2, form: '<tenant>/<group>' },
  'UAR::Server': { parts: 2, form: '<tenant>/<server>' },
  'UAR::Tool': { parts: 3, form: '<tenant>/<server>/<tool>' },
};

interface Said {
  readonly message: string;
  readonly place: Place | undefined;
  readonly suggestion?: string | undefined;
}

export interface ReadPolicy {
  readonly json: PolicyJson;
  readonly text: PolicyText;
}

/** What Cedar accepts and we do not (GOVERNANCE.md 4). `attributes`: names that the schema declares. */
export function problemsOfPolicy(
  policy: string,
  read: ReadPolicy,
  attributes: readonly string[],
): readonly PolicyProblem[] {
  const found = [
    ...annotationProblems(policy, read),
    ...unknownProblems(read),
    ...permitProblems(policy, read),
    ...idProblems(read),
    ...bagProblems(read),
    ...presenceProblems(read, attributes),
  ];
  const problems = found.map(({ message, place, suggestion }) => ({
    ...{ policy, message, severity: 'error' as const, ...place },
    ...(suggestion === undefined ? {} : { suggestion }),
  }));
  return [...problems, ...malformedPointers(policy, read)];
}

/** Names of attributes in a schema's text. */
export function declaredAttributes(schema: string): readonly string[] {
  const tokens = tokensOf(schema);
  return tokens.flatMap(({ kind, text }, index) => {
    const after = tokens[index + 1]?.text === '?' ? index + 2 : index + 1;
    return kind !== 'sign' && tokens[after]?.text === ':' ? [text] : [];
  });
}

function annotationProblems(policy: string, { json, text }: ReadPolicy): readonly Said[] {
  const annotations = json.annotations ?? {};
  const strange = Object.keys(annotations)
    .filter((name) => !knownAnnotations.includes(name))
    .map((name) => ({
      message: `unknown annotation @${name}`,
      place: text.annotation(name),
      suggestion: nearest(name, knownAnnotations),
    }));
  const id = annotations['id'];
  if (id === undefined || id === policy) return strange;
  const place = text.annotation('id');
  return [...strange, { message: '@id differs from the file name', place, suggestion: policy }];
}

function unknownProblems({ json, text }: ReadPolicy): readonly Said[] {
  for (const expression of expressionsIn(json.conditions))
    if (Array.isArray(expression['unknown']))
      return [{ message: 'unknown() is not allowed', place: text.call('unknown') }];
  return [];
}

function permitProblems(policy: string, { json, text }: ReadPolicy): readonly Said[] {
  if (json.effect === 'forbid') return [];
  if (policy.startsWith('p/') && policy !== 'p/release')
    return [{ message: 'the platform permits nothing but the release', place: text.word('permit') }];
  if (json.action.kind === 'any')
    return [{ message: 'a permit names its actions', place: text.word('action') }];
  if (policy.startsWith('p/')) return [];
  return json.action.ids
    .filter((id) => reservedActions.includes(id))
    .map((id) => ({
      message: `a tenant may not permit ${id}`,
      place: text.entity('UAR::Action', id),
      suggestion: id === 'invoke' ? 'callToolUnattended' : undefined,
    }));
}

/** An id without its tenant is nobody's: a forbid on it would be dead. */
function idProblems({ json, text }: ReadPolicy): readonly Said[] {
  const seen = new Set<string>();
  return entitiesIn(json).flatMap(({ type, id }) => {
    const form = qualified[type];
    if (form === undefined || id.split('/').filter((part) => part !== '').length >= form.parts) return [];
    if (seen.has(`${type} ${id}`)) return [];
    seen.add(`${type} ${id}`);
    return [{ message: `${type}::"${id}" is no id: ${form.form}`, place: text.entity(type, id) }];
  });
}

/** Arguments are read where every reader of policies looks for them. */
function bagProblems({ json, text }: ReadPolicy): readonly Said[] {
  const named = entitiesIn(json).find((uid) => isBag(uid));
  if (named === undefined) return [];
  const message = `${named.type}::"${named.id}" is no name for policies: arguments are read from context.args`;
  return [{ message, place: text.entity(named.type, named.id) }];
}

/** `has` of an attribute that nothing has is false, not an error to Cedar: the rule would be silently dead. */
function presenceProblems({ json, text }: ReadPolicy, attributes: readonly string[]): readonly Said[] {
  const strange = new Set<string>();
  for (const expression of expressionsIn(json.conditions)) {
    const presence = expression['has'];
    if (!isExpression(presence) || (isExpression(presence['left']) && 'Record' in presence['left'])) continue;
    const names: unknown[] = Array.isArray(presence['attr']) ? presence['attr'] : [presence['attr']];
    for (const name of names.map(String)) if (!attributes.includes(name)) strange.add(name);
  }
  return [...strange].map((name) => ({
    message: `attribute \`${name}\` is declared nowhere in the schema`,
    place: text.presenceOf(name),
    suggestion: nearest(name, attributes),
  }));
}
