import type { PolicyFindings, TenantId } from '@uar/contracts';
import type { PolicySet, PolicyTexts } from '../policy/policy-set.js';
import type { PolicySets } from '../sets/policy-sets.js';
import { ownTexts } from './own-texts.js';
import type { Unavailable } from './ports.js';
import type { SetProblem } from '../sets/rehearsals.js';
import { findingsOf } from './views.js';
import type { OwnTexts } from '../sets/wanted.js';

/** Texts that would be taken as the tenant's set. */
export interface SoundTexts {
  readonly kind: 'sound';
  /** Absent: the folder's. */
  readonly own: OwnTexts | undefined;
  readonly set: PolicySet;
  /** With those of the platform. */
  readonly texts: PolicyTexts;
  readonly warnings: readonly SetProblem[];
}

/** All places are taken: those of the tenant, or those of everybody. */
export interface Busy {
  readonly kind: 'busy';
  readonly retry_after_ms: number;
}

export type NotSound = { readonly kind: 'invalid'; readonly findings: PolicyFindings } | Unavailable;
export type CheckedTexts = SoundTexts | NotSound | Busy;

/** Most that wait at once, of all tenants and of one: anybody with a token may send some. */
const usualPlaces = { most: 16, mostOfTenant: 4 };
/** About as long as the spare instance takes for one. */
const retryAfterMs = 2_000;

/** Texts that somebody sent, tried in the spare instance: the one way there, whatever they are tried for. */
export class Candidates {
  readonly #waiting = new Map<string, number>();

  constructor(
    private readonly sets: Pick<PolicySets, 'check' | 'platformOf' | 'candidateVersion'>,
    private readonly places = usualPlaces,
  ) {}

  /** Absent `sent`: what the folder says. */
  check(tenant: TenantId, sent: OwnTexts | undefined): Promise<CheckedTexts> {
    return this.inPlace(tenant, () => this.tried(tenant, sent));
  }

  /** Checks, and does `work` with what is sound, in one place among those that wait. */
  use<T>(
    tenant: TenantId,
    sent: OwnTexts,
    work: (sound: SoundTexts) => Promise<T>,
  ): Promise<T | NotSound | Busy> {
    return this.inPlace(tenant, async () => {
      const tried = await this.tried(tenant, sent);
      return tried.kind === 'sound' ? work(tried) : tried;
    });
  }

  /** Work in the spare instance that somebody waits for. */
  async inPlace<T>(tenant: TenantId, work: () => Promise<T>): Promise<T | Busy> {
    const own = this.#waiting.get(tenant) ?? 0;
    const all = [...this.#waiting.values()].reduce((sum, one) => sum + one, 0);
    if (own >= this.places.mostOfTenant || all >= this.places.most)
      return { kind: 'busy', retry_after_ms: retryAfterMs };
    this.#waiting.set(tenant, own + 1);
    try {
      return await work();
    } finally {
      this.#leave(tenant);
    }
  }

  /** Without a place: for work that nobody waits for and that has a line of its own. */
  async tried(tenant: string, sent: OwnTexts | undefined): Promise<SoundTexts | NotSound> {
    const { own, problems } =
      sent === undefined ? { own: undefined, problems: [] } : ownTexts(sent, this.sets.platformOf(tenant));
    if (problems.some(({ policy }) => policy === undefined))
      return { kind: 'invalid', findings: findingsOf(problems, []) };
    const tried = await this.sets.check(tenant, own);
    if (tried.kind === 'failed') return { kind: 'unavailable', cause: tried.message };
    const { value } = tried;
    const errors = [...problems, ...(value.kind === 'refused' ? value.problems : [])];
    if (value.kind === 'refused' || errors.length > 0)
      return { kind: 'invalid', findings: findingsOf(errors, value.warnings) };
    const { set, texts, warnings } = value;
    return { kind: 'sound', own, set, texts, warnings };
  }

  /** Of the set that these texts would be now, sound or not; nothing before anything was read. */
  versionOf(tenant: string, sent: OwnTexts): string | undefined {
    return this.sets.candidateVersion(tenant, ownTexts(sent, this.sets.platformOf(tenant)).own);
  }

  #leave(tenant: TenantId): void {
    const left = (this.#waiting.get(tenant) ?? 1) - 1;
    if (left === 0) this.#waiting.delete(tenant);
    else this.#waiting.set(tenant, left);
  }
}
