import {
  principalId,
  type ActionQuestion,
  type AnswerOf,
  type AskOf,
  type Caller,
  type Principal,
  type TenantId,
  type listPolicyVersions,
  type readPolicies,
  type readPolicySchema,
  type validatePolicies,
  type writePolicies,
} from '@uar/contracts';
import type { ActionVerdict, Judge } from '../decide/verdict.js';
import { catalogSchema } from '../policy/catalog-schema.js';
import type { ToolSchemas } from '../policy/lint/tool-schema.js';
import type { PolicySets } from '../sets/policy-sets.js';
import { authorOf } from './authors.js';
import type { Candidates, CheckedTexts, SoundTexts } from './candidates.js';
import { differencesOf } from './own-texts.js';
import type { Deed, VersionLog, WrittenStore } from './ports.js';
import type { ProposalDesk } from './proposal-desk.js';
import type { Persisted } from '../sets/replacement.js';
import { findingsOf, policiesView, problemView } from './views.js';
import type { OwnTexts } from '../sets/wanted.js';

export interface LifecycleParts {
  readonly sets: PolicySets;
  readonly candidates: Candidates;
  readonly store: WrittenStore;
  readonly versions: VersionLog;
  readonly proposals: ProposalDesk;
  readonly schemas?: ToolSchemas;
  readonly judge: Pick<Judge, 'judgeActions'>;
  /** Brings the sets to what ledger and folder say at this moment: another replica may have written. */
  catchUp(): Promise<void>;
  readonly now: () => number;
}

type Write = AskOf<typeof writePolicies>;
type WriteAnswer = AnswerOf<typeof writePolicies>;

/** Where the texts of a change come from, and who wrote them. */
type Origin =
  | {
      readonly kind: 'texts';
      /** Absent: the folder's. */
      readonly sent: OwnTexts | undefined;
      readonly authors: readonly Principal[];
      readonly verb: string;
      /** What it was written against, where that is not what the caller says. */
      readonly base?: string;
    }
  | Extract<WriteAnswer, { kind: 'not_found' | 'unavailable' }>;

/** A tenant's set from its writing to its end (GOVERNANCE.md 6). */
export class PolicyLifecycle {
  constructor(private readonly parts: LifecycleParts) {}

  read(tenant: TenantId): AnswerOf<typeof readPolicies> {
    return { kind: 'read', view: policiesView(this.parts.sets.standing(tenant)) };
  }

  schema(tenant: TenantId): AnswerOf<typeof readPolicySchema> {
    const texts = this.parts.sets.textsOf(tenant);
    if (texts === undefined) return { kind: 'unavailable', cause: 'no policies are loaded' };
    const tools = this.parts.schemas?.of(tenant);
    const catalog = tools === undefined ? null : catalogSchema(tools);
    return { kind: 'read', view: { schema: texts.schema, catalog } };
  }

  async validate({
    tenant,
    policies,
  }: AskOf<typeof validatePolicies>): Promise<AnswerOf<typeof validatePolicies>> {
    const checked = await this.parts.candidates.check(tenant, policies);
    if (checked.kind === 'unavailable' || checked.kind === 'busy') return checked;
    const findings = checked.kind === 'invalid' ? checked.findings : findingsOf([], checked.warnings);
    return { kind: 'checked', findings };
  }

  async versions(tenant: TenantId): Promise<AnswerOf<typeof listPolicyVersions>> {
    const found = await this.parts.versions.list(tenant);
    if (found.kind === 'unavailable') return found;
    const now = this.parts.sets.versionOf(tenant);
    const versions = found.versions.map((one) => ({ ...one, active: one.version === now }));
    return { kind: 'listed', versions };
  }

  /** In the order of answers that API.md 6 gives: shape, soundness, version, permission; only then anything is written. */
  async write(write: Write): Promise<WriteAnswer> {
    const { sets, candidates } = this.parts;
    const { tenant } = write.caller.principal;
    const origin = await this.#originOf(write);
    if (origin.kind !== 'texts') return origin;
    const checked = await candidates.check(tenant, origin.sent);
    if (checked.kind !== 'sound') return this.#told(checked, write, origin.authors);
    await this.parts.catchUp();
    const version = sets.versionOf(tenant);
    if (write.if_version !== version || (origin.base ?? version) !== version)
      return { kind: 'conflict', version };
    const deed = this.#deedOf(write, origin.verb, checked.set.version);
    if (!(await this.#isAllowed(write, origin.authors, deed))) return { kind: 'denied' };
    if (write.change.kind === 'folder' && sets.standing(tenant).wanted?.revision === 0)
      return { kind: 'not_found', message: 'No set was written by API.' };
    if (write.dry_run) return { kind: 'would_write', view: this.#dryRun(tenant, checked) };
    return this.#replace(write, { deed, authors: origin.authors, own: checked.own });
  }

  /** Findings name tools and their arguments: whoever may not manage policies hears that the texts are not sound, no more. */
  async #told(
    checked: Exclude<CheckedTexts, SoundTexts>,
    { caller }: Write,
    authors: readonly Principal[],
  ): Promise<WriteAnswer> {
    if (checked.kind !== 'invalid' || (await this.#verdict(caller, authors))?.kind === 'allow')
      return checked;
    return { kind: 'invalid', findings: findingsOf([], []) };
  }

  async #originOf({ caller, change }: Write): Promise<Origin> {
    const { tenant } = caller.principal;
    switch (change.kind) {
      case 'texts':
        return { kind: 'texts', sent: change.policies, authors: [authorOf(caller.principal)], verb: 'put' };
      case 'folder':
        return { kind: 'texts', sent: undefined, authors: [], verb: 'delete' };
      case 'version': {
        const found = await this.parts.versions.texts(tenant, change.version);
        if (found.kind === 'unavailable') return found;
        if (found.kind === 'not_found') return { kind: 'not_found', message: 'No such version is kept.' };
        const { policies: sent, authors } = found.texts;
        return { kind: 'texts', sent, authors, verb: 'rollback' };
      }
      case 'proposal': {
        const found = await this.parts.proposals.find(tenant, change.proposal_id);
        if (found.kind !== 'found') return found;
        const { policies: sent, author, if_version: base } = found.kept.proposal;
        return { kind: 'texts', sent, authors: [author], verb: `activate ${change.proposal_id}`, base };
      }
    }
  }

  async #isAllowed({ caller, dry_run }: Write, authors: readonly Principal[], deed: Deed): Promise<boolean> {
    const verdict = await this.#verdict(caller, authors);
    if (verdict?.kind === 'allow') return true;
    if (!dry_run) await this.parts.store.refused(deed, verdict?.determining ?? []);
    return false;
  }

  async #verdict(caller: Caller, authors: readonly Principal[]): Promise<ActionVerdict | undefined> {
    const question: ActionQuestion = { kind: 'admin', action: 'managePolicies', authors: [...authors] };
    const [verdict] = await this.parts.judge.judgeActions(caller, [question]);
    return verdict;
  }

  async #replace(
    write: Write,
    by: { readonly deed: Deed; readonly authors: readonly Principal[]; readonly own: OwnTexts | undefined },
  ): Promise<WriteAnswer> {
    const { sets, proposals } = this.parts;
    const { tenant } = by.deed.principal;
    const replaced = await sets.replace({
      tenant,
      own: by.own,
      ifVersion: write.if_version,
      persist: (over) => this.#persist(by, over),
    });
    switch (replaced.kind) {
      case 'replaced':
        if (write.change.kind === 'proposal') await proposals.used(by.deed, write.change.proposal_id);
        return { kind: 'written', view: policiesView(sets.standing(tenant)) };
      case 'refused':
        return { kind: 'invalid', findings: findingsOf(replaced.problems, replaced.warnings) };
      case 'conflict':
      case 'unavailable':
      case 'not_yet_active':
        return replaced;
    }
  }

  #persist(
    { deed, authors, own }: { deed: Deed; authors: readonly Principal[]; own: OwnTexts | undefined },
    { revision, file }: { revision: number; file: string },
  ): Promise<Persisted> {
    const { store, now } = this.parts;
    if (own === undefined) return store.write(deed, { value: undefined, revision });
    const at = new Date(now()).toISOString();
    const value = { policies: { ...own }, at, by: principalId(deed.principal), authors: [...authors], file };
    return store.write(deed, { value, revision });
  }

  #deedOf({ caller: { principal } }: Write, verb: string, version: string): Deed {
    const { sets } = this.parts;
    const { tenant } = principal;
    const repair = sets.repairOf(tenant);
    const notes = [
      ...(repair === undefined ? [] : [' while none was in force']),
      ...(sets.standing(tenant).wanted?.isUnreadable === true ? [' over a set that could not be read'] : []),
    ];
    const action = `policies.${verb} ${version}${notes.join(',')}`;
    return { principal, action, policyVersion: repair?.version ?? sets.versionOf(tenant) };
  }

  #dryRun(tenant: TenantId, { own, set: { version }, warnings }: SoundTexts) {
    const { sets } = this.parts;
    const before = sets.standing(tenant).active?.wanted.own ?? {};
    const differences = differencesOf(before, own ?? sets.folderOf(tenant));
    return { dry_run: true as const, version, differences, warnings: warnings.map(problemView) };
  }
}
