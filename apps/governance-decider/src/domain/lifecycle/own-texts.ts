import type { PolicyDifferences } from '@uar/contracts';
import type { SetProblem } from '../sets/rehearsals.js';
import type { OwnTexts } from '../sets/wanted.js';

const maxPolicies = 2_000;
const maxChars = 1024 * 1024;

/** A tenant's texts out of what somebody sent: policies of the platform may stand in it, but only as they are. */
export function ownTexts(
  sent: OwnTexts,
  platform: OwnTexts,
): { readonly own: OwnTexts; readonly problems: readonly SetProblem[] } {
  const entries = Object.entries(sent);
  const own = entries.filter(([id]) => id.startsWith('t/'));
  const strangers = entries.filter(([id, text]) => !id.startsWith('t/') && platform[id] !== text);
  const problems = strangers.map(([policy]): SetProblem => ({
    policy,
    severity: 'error',
    ...wrongId(policy, platform),
  }));
  return { own: Object.fromEntries(own), problems: [...problems, ...tooMuch(own)] };
}

/** Ids of policies that a candidate adds to, takes from or changes in what is there. */
export function differencesOf(before: OwnTexts, after: OwnTexts): PolicyDifferences {
  const has = (texts: OwnTexts, id: string): boolean => Object.hasOwn(texts, id);
  const ids = Object.keys(after).toSorted();
  return {
    added: ids.filter((id) => !has(before, id)),
    removed: Object.keys(before)
      .filter((id) => !has(after, id))
      .toSorted(),
    changed: ids.filter((id) => has(before, id) && before[id] !== after[id]),
  };
}

function wrongId(policy: string, platform: OwnTexts): { message: string; suggestion?: string } {
  if (Object.hasOwn(platform, policy))
    return {
      message: 'a policy of the platform is not changed by a tenant; leave it out or send it as it is',
    };
  if (policy.startsWith('p/'))
    return { message: 'the platform has no such policy, and a tenant adds none to it' };
  const name = policy
    .toLowerCase()
    .replace(/^[^/]*\//, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  const message = "the id of a tenant's policy is t/ and a name";
  return name === '' ? { message } : { message, suggestion: `t/${name.slice(0, 64)}` };
}

function tooMuch(own: readonly (readonly [string, string])[]): readonly SetProblem[] {
  const chars = own.reduce((sum, [id, text]) => sum + id.length + text.length, 0);
  if (own.length > maxPolicies) return [{ message: `more than ${maxPolicies} policies`, severity: 'error' }];
  if (chars > maxChars) return [{ message: `longer than ${maxChars} characters in all`, severity: 'error' }];
  return [];
}
