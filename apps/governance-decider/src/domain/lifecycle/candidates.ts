import type { PolicyFindings, TenantId } from '@uar/contracts';
import type { PolicySets } from '../policy/policy-sets.js';
import { ownTexts } from './own-texts.js';
import type { Unavailable } from './ports.js';
import type { SetProblem } from './rehearsals.js';
import { findingsOf } from './views.js';
import type { OwnTexts } from './wanted.js';

export type CheckedTexts =
  | {
      readonly kind: 'sound';
      /** Absent: the folder's. */
      readonly own: OwnTexts | undefined;
      readonly version: string;
      readonly warnings: readonly SetProblem[];
    }
  | { readonly kind: 'invalid'; readonly findings: PolicyFindings }
  | Unavailable;

const maxWaiting = 16;

/** Texts that somebody sent, tried in the spare instance. So many at once and no more: anybody with a token may send some. */
export class Candidates {
  #waiting = 0;

  constructor(private readonly sets: Pick<PolicySets, 'check' | 'textsOf'>) {}

  /** Absent `sent`: what the folder says. */
  async check(tenant: TenantId, sent: OwnTexts | undefined): Promise<CheckedTexts> {
    if (this.#waiting >= maxWaiting) return { kind: 'unavailable', cause: 'too many candidates wait' };
    this.#waiting += 1;
    try {
      return await this.#check(tenant, sent);
    } finally {
      this.#waiting -= 1;
    }
  }

  async #check(tenant: TenantId, sent: OwnTexts | undefined): Promise<CheckedTexts> {
    const { own, problems } =
      sent === undefined
        ? { own: undefined, problems: [] }
        : ownTexts(sent, this.sets.textsOf(tenant)?.policies ?? {});
    if (problems.some(({ policy }) => policy === undefined))
      return { kind: 'invalid', findings: findingsOf(problems, []) };
    const tried = await this.sets.check(tenant, own);
    if (tried.kind === 'failed') return { kind: 'unavailable', cause: tried.message };
    const { value } = tried;
    const errors = [...problems, ...(value.kind === 'refused' ? value.problems : [])];
    if (value.kind === 'refused' || errors.length > 0)
      return { kind: 'invalid', findings: findingsOf(errors, value.warnings) };
    return { kind: 'sound', own, version: value.set.version, warnings: value.warnings };
  }
}
