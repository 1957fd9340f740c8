import { StoredProposal, policyProposalNamespace, type ReceiptBody, type TenantId } from '@uar/contracts';
import { adminReceipt, readKept, writeKept } from '@uar/settings';
import type { Deed, KeptProposal, ProposalBox } from '../../domain/lifecycle/ports.js';
import { receiptOf, type LedgerSetting } from './policy-written.js';

const maxProposals = 50;
/** One answer of the ledger carries them all. */
const maxCharsOfAll = 4 * 1024 * 1024;
const maxAgeMs = 30 * 24 * 60 * 60 * 1000;

type Listed = Awaited<ReturnType<ProposalBox['list']>>;
type Added = Awaited<ReturnType<ProposalBox['add']>>;
type Removed = Awaited<ReturnType<ProposalBox['remove']>>;

export class LedgerProposals implements ProposalBox {
  constructor(private readonly setting: LedgerSetting & { readonly now: () => number }) {}

  async list(tenant: TenantId): Promise<Listed> {
    const all = await this.#all(tenant);
    if (all.kind === 'unavailable') return all;
    return { kind: 'listed', proposals: await this.#withoutOld(tenant, all.proposals) };
  }

  async add(deed: Deed, { id, proposal }: { id: string; proposal: StoredProposal }): Promise<Added> {
    const { tenant } = deed.principal;
    const all = await this.#all(tenant);
    if (all.kind === 'unavailable') return all;
    const waiting = await this.#withoutOld(tenant, all.proposals);
    if (waiting.length >= maxProposals)
      return { kind: 'full', message: `${maxProposals} proposals wait already` };
    const chars = [...waiting.map((kept) => kept.proposal), proposal].map(
      (one) => JSON.stringify(one).length,
    );
    if (chars.reduce((sum, one) => sum + one, 0) > maxCharsOfAll)
      return { kind: 'full', message: 'the proposals that wait are too long together' };
    const written = await writeKept(this.setting.bus, {
      ...{ tenant, namespace: policyProposalNamespace, key: id, value: proposal, if_revision: 0 },
      receipt: receiptOf(deed, this.setting.profile),
    });
    return written.kind === 'written' ? { kind: 'added' } : unavailable(written);
  }

  /** Gone already is as good as removed. */
  async remove(deed: Deed, kept: KeptProposal): Promise<Removed> {
    const receipt = receiptOf(deed, this.setting.profile);
    const written = await this.#remove(deed.principal.tenant, kept, receipt);
    return written.kind === 'unavailable' ? written : { kind: 'removed' };
  }

  /** Those that are too old go, each with a receipt; one that the ledger does not let go now is tried again next time. */
  async #withoutOld(tenant: TenantId, all: readonly KeptProposal[]): Promise<readonly KeptProposal[]> {
    const { profile, now } = this.setting;
    for (const kept of all.filter((one) => this.#isOld(one))) {
      const { author } = kept.proposal;
      const about = { profile, governance: 'on', at: now() } as const;
      await this.#remove(tenant, kept, adminReceipt(author, `policies.expire ${kept.id}`, about));
    }
    return all.filter((kept) => !this.#isOld(kept));
  }

  #remove(tenant: TenantId, { id, revision }: KeptProposal, receipt: ReceiptBody) {
    const place = { tenant, namespace: policyProposalNamespace, key: id };
    return writeKept(this.setting.bus, { ...place, value: null, if_revision: revision, receipt });
  }

  async #all(tenant: TenantId) {
    const of = { namespace: policyProposalNamespace, tenant };
    const read = await readKept(this.setting.bus, StoredProposal, of);
    if (read.kind === 'unavailable') return { kind: 'unavailable' as const, cause: `ledger_${read.cause}` };
    const proposals = read.entries
      .flatMap((entry): KeptProposal[] =>
        entry.kind === 'kept' ? [{ id: entry.key, revision: entry.revision, proposal: entry.value }] : [],
      )
      .toSorted((left, right) => right.proposal.at.localeCompare(left.proposal.at));
    return { kind: 'read' as const, proposals };
  }

  #isOld({ proposal }: KeptProposal): boolean {
    return Date.parse(proposal.at) + maxAgeMs < this.setting.now();
  }
}

function unavailable(written: { kind: string; cause?: string }): Extract<Added, { kind: 'unavailable' }> {
  return { kind: 'unavailable', cause: written.cause ?? written.kind };
}
