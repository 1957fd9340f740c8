import fc, { type Arbitrary } from 'fast-check';
import { ids, pointers, tags } from '../world/vocabulary.fixture.js';

/** Expressions as Cedar text, by the type they have as long as nothing fails. Every operator that policies may use is here. */
export interface Expressions {
  readonly bool: string;
  readonly long: string;
  readonly text: string;
  readonly entity: string;
  readonly set: string;
  readonly decimal: string;
  readonly datetime: string;
  readonly duration: string;
  readonly ip: string;
  readonly record: string;
}

export type Tie = (key: keyof Expressions) => Arbitrary<string>;

export const quoted = (text: string): string =>
  `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
export const pick = (...options: readonly string[]): Arbitrary<string> => fc.constantFrom(...options);
/** A template with `$` where parts go. */
export const form = (template: string, ...parts: readonly Arbitrary<string>[]): Arbitrary<string> =>
  fc.tuple(...parts).map((found) => {
    const pieces = template.split('$');
    return pieces.map((piece, index) => (index === 0 ? piece : `${found[index - 1] ?? ''}${piece}`)).join('');
  });
export const forms = (
  templates: readonly string[],
  ...parts: readonly Arbitrary<string>[]
): Arbitrary<string> => fc.oneof(...templates.map((template) => form(template, ...parts)));

const literals = Object.entries(ids).flatMap(([type, known]) => known.map((id) => `UAR::${type}::"${id}"`));
export const literal = pick(...literals);
export const place = pick(
  ...literals.filter((one) => /Role|Group|Tenant|Server|Family|Label|Class|Tool|User/.test(one)),
);
export const typeName = pick('UAR::User', 'UAR::Agent', 'UAR::Tool', 'UAR::Tenant');
export const pointer = pick(...pointers.map(quoted));
export const tagName = pick(...tags.map(quoted));
export const attribute = pick(
  'suspended',
  'mfa',
  'maxRisk',
  'riskTier',
  'ip',
  'amount',
  'user',
  'env',
  'nothing',
);
