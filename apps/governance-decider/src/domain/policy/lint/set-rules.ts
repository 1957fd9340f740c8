import { nearest } from '@uar/nearest';
import { platformGuards } from '../check/platform-guards.js';
import { textProblem } from '../check/text-guard.js';
import { placeAt } from './place.js';
import type { PolicyProblem } from './problem.js';

const policyId = /^[pt]\/[a-z0-9][a-z0-9-]{0,63}$/;

/** Before any parser: names, sizes, nesting, and that no platform guard is missing. */
export function problemsOfTexts(policies: Readonly<Record<string, string>>): readonly PolicyProblem[] {
  return [...missingGuards(Object.keys(policies)), ...Object.entries(policies).flatMap(problemsOfText)];
}

function missingGuards(ids: readonly string[]): readonly PolicyProblem[] {
  const present = new Set(ids);
  const strangers = ids.filter((id) => id.startsWith('p/') && !platformGuards.includes(id));
  return platformGuards
    .filter((guard) => !present.has(guard))
    .map((guard) => {
      const likely = nearest(guard, strangers);
      const found = likely === undefined ? '' : `; ${likely} is there`;
      return {
        policy: guard,
        message: `a guard of the platform is missing${found}`,
        severity: 'error',
        ...(likely === undefined ? {} : { suggestion: guard }),
      };
    });
}

function problemsOfText([policy, text]: readonly [string, string]): readonly PolicyProblem[] {
  if (!policyId.test(policy)) {
    const [tier = '', ...rest] = policy.split('/');
    const name = rest
      .join('-')
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-');
    const suggestion = `${tier}/${name.replace(/^-+|-+$/g, '').slice(0, 64)}`;
    return [
      {
        policy,
        message: 'the file name is no policy id',
        severity: 'error',
        ...(policyId.test(suggestion) ? { suggestion } : {}),
      },
    ];
  }
  const found = textProblem(text);
  if (found === undefined) return [];
  return [{ policy, message: found.message, severity: 'error', ...placeAt(text, found.index) }];
}
