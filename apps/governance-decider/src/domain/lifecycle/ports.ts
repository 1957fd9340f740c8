import type {
  PolicyVersion,
  Principal,
  StoredProposal,
  StoredVersionTexts,
  TenantId,
  WrittenPolicies,
} from '@uar/contracts';
import type { Persisted } from '../sets/replacement.js';
import type { WrittenSets } from '../sets/written.js';

export interface Unavailable {
  readonly kind: 'unavailable';
  readonly cause: string;
}

/** Who writes, and how the receipt of it names that. */
export interface Deed {
  readonly principal: Principal;
  /** e.g. `policies.put sha256:...`. */
  readonly action: string;
  /** The set under which it was allowed. */
  readonly policyVersion: string;
}

/** The sets that the API wrote. */
export interface WrittenStore extends WrittenSets {
  /** Compare and set, with its receipt in the same transaction; seen by `of` at once. Absent `value`: nothing any more. */
  write(
    deed: Deed,
    entry: { readonly value: WrittenPolicies | undefined; readonly revision: number },
  ): Promise<Persisted>;
  /** Leaves the receipt of a write that policy refused. */
  refused(deed: Deed, determining: readonly string[]): Promise<void>;
}

/** Which sets were in force. */
export interface VersionLog {
  /** Newest first. */
  list(
    tenant: TenantId,
  ): Promise<{ readonly kind: 'listed'; readonly versions: readonly PolicyVersion[] } | Unavailable>;
  texts(
    tenant: TenantId,
    version: string,
  ): Promise<
    | { readonly kind: 'found'; readonly texts: StoredVersionTexts }
    | { readonly kind: 'not_found' }
    | Unavailable
  >;
}

export interface KeptProposal {
  readonly id: string;
  readonly revision: number;
  readonly proposal: StoredProposal;
}

/** Sets that wait for somebody to put them in force; forgotten after 30 days. */
export interface ProposalBox {
  /** Newest first. */
  list(
    tenant: TenantId,
  ): Promise<{ readonly kind: 'listed'; readonly proposals: readonly KeptProposal[] } | Unavailable>;
  add(
    deed: Deed,
    entry: { readonly id: string; readonly proposal: StoredProposal },
  ): Promise<{ readonly kind: 'added' } | { readonly kind: 'full'; readonly message: string } | Unavailable>;
  remove(deed: Deed, kept: KeptProposal): Promise<{ readonly kind: 'removed' } | Unavailable>;
}
