import {
  principalId,
  type AnswerOf,
  type AskOf,
  type PolicyProposalView,
  type TenantId,
  type listProposals,
  type proposePolicies,
  type readProposal,
  type withdrawProposal,
} from '@uar/contracts';
import type { Judge } from '../decide/verdict.js';
import type { PolicySets } from '../sets/policy-sets.js';
import { authorOf } from './authors.js';
import type { Candidates } from './candidates.js';
import { differencesOf } from './own-texts.js';
import type { Deed, KeptProposal, ProposalBox, Unavailable } from './ports.js';

export interface ProposalParts {
  readonly sets: PolicySets;
  readonly candidates: Candidates;
  readonly box: ProposalBox;
  readonly judge: Pick<Judge, 'judgeActions'>;
  /** Brings the sets to what ledger and folder say at this moment. */
  catchUp(): Promise<void>;
  readonly now: () => number;
  readonly newId: () => string;
}

type Found =
  | { readonly kind: 'found'; readonly kept: KeptProposal }
  | { readonly kind: 'not_found'; readonly message: string }
  | Unavailable;

/** Sets that one person writes and another puts in force. */
export class ProposalDesk {
  constructor(private readonly parts: ProposalParts) {}

  /** Found sound before it is kept, so that whoever activates it judges its sense alone. */
  async propose(ask: AskOf<typeof proposePolicies>): Promise<AnswerOf<typeof proposePolicies>> {
    const { sets, candidates, box, now, newId } = this.parts;
    const { principal, policies, if_version, note } = ask;
    const checked = await candidates.check(principal.tenant, policies);
    if (checked.kind !== 'sound') return checked;
    await this.parts.catchUp();
    const version = sets.versionOf(principal.tenant);
    if (if_version !== version) return { kind: 'conflict', version };
    const id = newId();
    const proposal = {
      policies: { ...checked.own },
      author: authorOf(principal),
      at: new Date(now()).toISOString(),
      if_version,
      ...(note === undefined ? {} : { note }),
    };
    const deed = this.#deed({ principal }, `propose ${id}`);
    const added = await box.add(deed, { id, proposal });
    if (added.kind !== 'added') return added;
    return { kind: 'proposed', proposal: this.#view({ id, revision: 1, proposal }) };
  }

  async list(tenant: TenantId): Promise<AnswerOf<typeof listProposals>> {
    const found = await this.parts.box.list(tenant);
    if (found.kind === 'unavailable') return found;
    return { kind: 'listed', proposals: found.proposals.map((kept) => this.#view(kept)) };
  }

  async read(ask: AskOf<typeof readProposal>): Promise<AnswerOf<typeof readProposal>> {
    const found = await this.find(ask.tenant, ask.proposal_id);
    if (found.kind !== 'found') return found;
    const { kept } = found;
    return { kind: 'found', proposal: this.#view(kept), policies: kept.proposal.policies };
  }

  /** Its author may, and whoever manages policies. */
  async withdraw(ask: AskOf<typeof withdrawProposal>): Promise<AnswerOf<typeof withdrawProposal>> {
    const { principal } = ask.caller;
    const found = await this.find(principal.tenant, ask.proposal_id);
    if (found.kind !== 'found') return found;
    const isAuthor = principalId(found.kept.proposal.author) === principalId(principal);
    if (!isAuthor && !(await this.#manages(ask.caller))) return { kind: 'denied' };
    const removed = await this.parts.box.remove(
      this.#deed(ask.caller, `withdraw ${ask.proposal_id}`),
      found.kept,
    );
    return removed.kind === 'removed' ? { kind: 'withdrawn' } : removed;
  }

  async find(tenant: TenantId, id: string): Promise<Found> {
    const found = await this.parts.box.list(tenant);
    if (found.kind === 'unavailable') return found;
    const kept = found.proposals.find((one) => one.id === id);
    return kept === undefined
      ? { kind: 'not_found', message: 'There is no such proposal.' }
      : { kind: 'found', kept };
  }

  /** It is in force: nothing waits any more. Where that cannot be written now it is stale by its version. */
  async used(deed: Deed, id: string): Promise<void> {
    const found = await this.find(deed.principal.tenant, id);
    if (found.kind === 'found')
      await this.parts.box.remove({ ...deed, action: `policies.used ${id}` }, found.kept);
  }

  async #manages(caller: AskOf<typeof withdrawProposal>['caller']): Promise<boolean> {
    const [verdict] = await this.parts.judge.judgeActions(caller, [
      { kind: 'admin', action: 'managePolicies' },
    ]);
    return verdict?.kind === 'allow';
  }

  #deed({ principal }: Pick<Deed, 'principal'>, action: string): Deed {
    const policyVersion = this.parts.sets.versionOf(principal.tenant);
    return { principal, action: `policies.${action}`, policyVersion };
  }

  #view({ id, proposal }: KeptProposal): PolicyProposalView {
    const { policies, author, at, if_version, note } = proposal;
    const before = this.parts.sets.standing(author.tenant).active?.wanted.own ?? {};
    return {
      proposal_id: id,
      author: principalId(author),
      at,
      if_version,
      ...(note === undefined ? {} : { note }),
      differences: differencesOf(before, policies),
    };
  }
}
