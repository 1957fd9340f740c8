import { textDigest } from '@uar/json-text';
import type { WrittenPolicies } from '@uar/contracts';
import type { PolicyProblem } from '../policy/lint/problem.js';
import { versionOf, type PolicyTexts } from '../policy/policy-set.js';
import type { NamedCases, PolicySource } from './source.js';
import type { WrittenSets } from './written.js';

/** Texts of a tenant's policies by id, `t/...`. */
export type OwnTexts = Readonly<Record<string, string>>;

/** Stands for every tenant without policies of its own: the platform's guards alone, so everything is denied. */
export const anyTenant = '*';

/** What a tenant's set is to be, whether or not it is any good. */
export interface WantedSet {
  readonly tenant: string;
  readonly own: OwnTexts;
  /** With those of the platform. */
  readonly texts: PolicyTexts;
  readonly cases: readonly NamedCases[];
  readonly source: 'file' | 'api';
  /** Absent: the folder's. */
  readonly written?: WrittenPolicies;
  /** Of what the ledger keeps; 0 where it keeps nothing. */
  readonly revision: number;
  /** The folder's set is another than when the API's was written. */
  readonly drift: boolean;
  /** The ledger has one, and nobody can tell what it says. */
  readonly isUnreadable?: boolean;
  /** Why there is nothing to rehearse. */
  readonly problems: readonly PolicyProblem[];
  /** Changes whenever anything does that a rehearsal depends on. */
  readonly fingerprint: string;
}

/** One set per tenant that the folder or the ledger names, and one for everybody else. */
export function wantedSets(source: PolicySource, written: WrittenSets): ReadonlyMap<string, WantedSet> {
  const tenants = new Set([...source.tenants.keys(), ...source.unreadable.keys(), ...written.tenants()]);
  const own = [...tenants].map((tenant) => wantedOf(source, written, tenant));
  return new Map([platformSet(source), ...own].map((wanted) => [wanted.tenant, wanted]));
}

/** The platform's cases run with this one. */
export function platformSet(source: PolicySource): WantedSet {
  return wantedFrom(source, { tenant: anyTenant, own: {}, problems: [], ...fromFile });
}

/** What these texts would be as the set of a tenant. */
export function candidateSet(source: PolicySource, tenant: string, own: OwnTexts): WantedSet {
  return wantedFrom(source, { tenant, own, source: 'api', revision: 0, drift: false, problems: [] });
}

/** What the folder says of a tenant, whether or not it is in force. */
export function folderSet(source: PolicySource, tenant: string): WantedSet {
  const own = source.tenants.get(tenant) ?? {};
  return wantedFrom(source, { tenant, own, problems: source.unreadable.get(tenant) ?? [], ...fromFile });
}

/** The folder's set, or that of texts where there are any. */
export function wantedBy(source: PolicySource, tenant: string, own: OwnTexts | undefined): WantedSet {
  return own === undefined ? folderSet(source, tenant) : candidateSet(source, tenant, own);
}

const fromFile = { source: 'file', revision: 0, drift: false } as const;

/** Digest of what the folder says of a tenant; of nothing where it has no folder. */
export function folderDigest(source: PolicySource, tenant: string): string {
  return ownDigest(source.tenants.get(tenant) ?? {});
}

function wantedOf(source: PolicySource, written: WrittenSets, tenant: string): WantedSet {
  const found = written.of(tenant);
  if (found === undefined) return folderSet(source, tenant);
  const about = { tenant, source: 'api', revision: found.revision } as const;
  if (found.kind === 'unreadable') {
    const message = 'the set that was written by API cannot be read';
    return wantedFrom(source, {
      ...about,
      own: {},
      drift: false,
      problems: [{ message, severity: 'error' }],
      isUnreadable: true,
    });
  }
  const { policies: own, file } = found.value;
  const drift = folderDigest(source, tenant) !== file;
  return wantedFrom(source, { ...about, own, drift, problems: [], written: found.value });
}

function wantedFrom(
  { schema, platform, cases, brokenCases }: PolicySource,
  about: Omit<WantedSet, 'texts' | 'cases' | 'fingerprint'>,
): WantedSet {
  const { tenant, own, source, revision } = about;
  // A guard of the platform is never overwritten, whatever a set brings along.
  const texts = { schema, policies: { ...platform, ...own, ...platform } };
  const set = tenant === anyTenant ? 'platform' : `tenant:${tenant}`;
  const named = cases.filter(({ cases: file }) => file.set === set);
  const broken = brokenCases.filter((one) => one.set === set);
  const problems = [
    ...about.problems,
    ...broken.map(({ problem }): PolicyProblem => ({ message: problem, severity: 'error' })),
  ];
  const fingerprint = `${source} ${revision} ${versionOf(texts)} ${JSON.stringify([named, problems])}`;
  return { ...about, texts, cases: named, problems, fingerprint };
}

function ownDigest(own: OwnTexts): string {
  return textDigest(
    JSON.stringify(Object.entries(own).toSorted(([left], [right]) => (left < right ? -1 : 1))),
  );
}
