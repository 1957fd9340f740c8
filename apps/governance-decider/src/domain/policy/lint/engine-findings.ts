import { nearest } from '@uar/nearest';
import type { Finding } from '../laboratory.js';
import type { PolicyText } from './policy-text.js';
import type { PolicyProblem } from './problem.js';

const variables = ['principal', 'action', 'resource', 'context'];
const tagMethods = ['hasTag', 'getTag', 'contains', 'containsAll', 'containsAny', 'isEmpty'];
const numberMethods = ['lessThan', 'lessThanOrEqual', 'greaterThan', 'greaterThanOrEqual'];
const addressMethods = ['isIpv4', 'isIpv6', 'isLoopback', 'isMulticast', 'isInRange'];
const timeMethods = [
  'offset',
  'durationSince',
  'toDate',
  'toTime',
  'toMilliseconds',
  'toSeconds',
  'toMinutes',
];
const methods = [...tagMethods, ...numberMethods, ...addressMethods, ...timeMethods, 'toHours', 'toDays'];

/** What Cedar refuses without saying what was meant: the misspelled word, and the words that could stand there. */
const misspellings: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^invalid policy effect: (\w+)$/, ['permit', 'forbid']],
  [/^invalid policy condition: (\w+)$/, ['when', 'unless']],
  [/^found an invalid variable in the policy scope: (\w+)$/, variables],
  [/^`(\w+)` is not a valid method$/, methods],
  [/`(\w+)` has no fields or methods$/, variables],
  [/^invalid variable: (\w+)$/, variables],
];
const meant = /^did you mean `(.*)`\?$/s;
const vocabulary = /^valid entity eids: (.*)$/s;

/** Cedar's words as a problem: the place in lines, the name that was meant apart from the message. */
export function problemOfFinding(finding: Finding, text: PolicyText | undefined): PolicyProblem {
  const message = withoutFrame(finding.message);
  const wrong = misspelled(message);
  const suggestion = suggestionIn(finding, message, wrong);
  const place = text === undefined ? undefined : placeOf(finding, text, wrong);
  const said = [withoutFrame(finding.help ?? ''), finding.label ?? ''].filter(
    (more) => more !== '' && !meant.test(more),
  );
  return {
    message: said.length === 0 ? message : `${message} (${said.join('; ')})`,
    severity: 'error',
    ...place,
    ...(suggestion === undefined ? {} : { suggestion }),
  };
}

/**
 * Each mistake once: a policy that is wrong is impossible or inapplicable as well, and an attribute is missing in every
 * environment that the policy applies to.
 */
export function withoutEchoes<T extends Finding & { readonly policy: string }>(
  findings: readonly T[],
): readonly T[] {
  const wrong = new Set(findings.filter(({ isWarning }) => !isWarning).map(({ policy }) => policy));
  const kept = new Map<string, T>();
  for (const finding of findings) {
    const { policy, message, start, isWarning } = finding;
    if (isWarning && wrong.has(policy)) continue;
    if (isWarning && message.includes('unable to find an applicable action')) wrong.add(policy);
    const about = misspelled(withoutFrame(message)) ?? message;
    const key = JSON.stringify([policy, start, about]);
    const echo = kept.get(key);
    if (echo === undefined || isBetter(finding, echo)) kept.set(key, finding);
  }
  return [...kept.values()];
}

/** Cedar's echoes come in any order: the one that knows what was meant is told, and always the same one. */
function isBetter(finding: Finding, than: Finding): boolean {
  const [one, other] = [finding, than].map((it) => problemOfFinding(it, undefined).suggestion !== undefined);
  return one === other ? finding.message < than.message : one === true;
}

function withoutFrame(message: string): string {
  return message
    .replace(/^for policy `[^`]*`[,:] /, '')
    .replace(/^failed to parse (?:policy|schema) from string: /, '');
}

/** The name a message is about, without what it belongs to. */
function misspelled(message: string): string | undefined {
  const word = misspellings
    .map(([pattern]) => pattern.exec(message)?.[1])
    .find((found) => found !== undefined);
  if (word !== undefined) return word;
  const entity = /^entity `[^`]*::"([^`]*)"`/s.exec(message)?.[1];
  if (entity !== undefined) return entity;
  const attribute = /^attribute `([^`]*)`/.exec(message)?.[1];
  if (attribute !== undefined) return attribute.slice(attribute.lastIndexOf('.') + 1);
  return /^unrecognized [a-z ]+ `([^`]*)`$/s.exec(message)?.[1];
}

/** Cedar always names the least distant name, however distant: only a likely one is passed on. */
function suggestionIn(finding: Finding, message: string, wrong: string | undefined): string | undefined {
  const named = meant.exec(finding.help ?? '')?.[1];
  if (named !== undefined)
    return wrong === undefined || named.includes(wrong) || nearest(wrong, [named]) !== undefined
      ? named
      : undefined;
  if (wrong === undefined) return undefined;
  const listed = vocabulary.exec(finding.help ?? '')?.[1];
  if (listed !== undefined)
    return nearest(
      wrong,
      [...listed.matchAll(/"([^"]*)"/g)].map(([, id]) => id ?? ''),
    );
  const words = misspellings.find(([pattern]) => pattern.test(message))?.[1] ?? [];
  return nearest(wrong, words);
}

function placeOf(
  { start, end, message }: Finding,
  text: PolicyText,
  wrong: string | undefined,
): { line: number; column: number } | undefined {
  if (start !== undefined) return text.atBytes(start, end ?? start, wrong);
  const named = /(?:identifier|string) `"?([^`"]*)"?`/.exec(message)?.[1];
  return named === undefined ? text.at(0) : (text.literal(named) ?? text.word(named) ?? text.at(0));
}
