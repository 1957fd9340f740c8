import type { PoliciesView, PolicyFindings, PolicyProblemView } from '@uar/contracts';
import { noVersion, type Policy } from '../policy/policy-set.js';
import type { SetProblem } from '../sets/rehearsals.js';
import type { ActiveSet, Standing } from '../sets/standing.js';
import type { WantedSet } from '../sets/wanted.js';

/** The set in force, and what is to be known about it (API.md 6). */
export function policiesView({ active, wanted, problems, wayOut }: Standing): PoliciesView {
  const shown = [...problems, ...(active?.warnings ?? [])].map(problemView);
  return {
    version: active?.set.version ?? noVersion,
    policies:
      active === undefined
        ? refusedViews(wanted)
        : active.set.policies.map((policy) => policyView(policy, active)),
    drift: wanted?.drift ?? false,
    source: active?.wanted.source ?? wanted?.source ?? 'file',
    problems: wayOut === undefined ? shown : [...shown, { message: wayOut }],
  };
}

export function findingsOf(errors: readonly SetProblem[], warnings: readonly SetProblem[]): PolicyFindings {
  return { errors: errors.map(problemView), warnings: warnings.map(problemView) };
}

export function problemView(problem: SetProblem): PolicyProblemView {
  const { policy, message, line, column, suggestion } = problem;
  return {
    ...(policy === undefined ? {} : { policy_id: policy }),
    ...(problem.case === undefined ? {} : { case: problem.case }),
    message,
    ...(line === undefined ? {} : { line, column: column ?? 1 }),
    ...(suggestion === undefined ? {} : { suggestion }),
  };
}

/** Whoever mends them has to see them. */
function refusedViews(wanted: WantedSet | undefined): PoliciesView['policies'] {
  const texts = Object.entries(wanted?.texts.policies ?? {});
  return texts.map(([id, text]) => ({ id, tier: tierOf(id), text, annotations: {} }));
}

function tierOf(id: string): 'platform' | 'tenant' {
  return id.startsWith('p/') ? 'platform' : 'tenant';
}

function policyView({ id, json }: Policy, { wanted }: ActiveSet): PoliciesView['policies'][number] {
  const annotations = Object.entries(json.annotations ?? {}).map(([name, text]) => [name, text ?? '']);
  return {
    id,
    tier: tierOf(id),
    text: wanted.texts.policies[id] ?? '',
    annotations: Object.fromEntries(annotations),
  };
}
