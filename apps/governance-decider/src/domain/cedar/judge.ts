import type { EngineLoss, RawAnswer } from './cedar.js';

export type RefusalCode =
  | 'not_permitted'
  | 'forbidden'
  | 'policy_error'
  | 'request_invalid'
  | 'engine_failed'
  | EngineLoss
  /** Another question of the same batch was refused first. */
  | 'not_asked';

/** Determining policies are sorted. */
export type Verdict =
  | { readonly kind: 'yes'; readonly determining: readonly string[] }
  | { readonly kind: 'no'; readonly code: RefusalCode; readonly determining: readonly string[] };

/** What must be known of a set to believe an answer about it. */
export interface KnownPolicies {
  readonly permits: ReadonlySet<string>;
  readonly forbids: ReadonlySet<string>;
}

/**
 * Yes is one thing only: an allow without any evaluation error, by at least one policy, each of them a permit of the set
 * (GOVERNANCE.md 4a). Everything else is no, with a code.
 */
export function judge(answer: RawAnswer | undefined, known: KnownPolicies): Verdict {
  if (answer === undefined) return no('engine_failed');
  switch (answer.kind) {
    case 'decided':
      return judgeDecided(answer, known);
    case 'invalid':
      return no('request_invalid');
    case 'threw':
      return no('engine_failed');
    case 'not_asked':
      return no('not_asked');
    case 'lost':
      return no(answer.cause);
  }
}

function judgeDecided(answer: Extract<RawAnswer, { kind: 'decided' }>, known: KnownPolicies): Verdict {
  const reasons = answer.reasons.toSorted();
  if (answer.errors.length > 0)
    return no('policy_error', [...new Set([...reasons, ...answer.errors])].toSorted());
  if (answer.decision === 'allow') {
    const believable = reasons.length > 0 && reasons.every((id) => known.permits.has(id));
    return believable ? { kind: 'yes', determining: reasons } : no('engine_failed');
  }
  if (answer.decision !== 'deny') return no('engine_failed');
  if (reasons.length === 0) return no('not_permitted');
  return reasons.every((id) => known.forbids.has(id)) ? no('forbidden', reasons) : no('engine_failed');
}

function no(code: RefusalCode, determining: readonly string[] = []): Verdict {
  return { kind: 'no', code, determining };
}
