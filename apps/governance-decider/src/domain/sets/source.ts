import type { CaseFile } from '../cases/case-file.js';
import type { PolicyProblem } from '../policy/lint/problem.js';

/** What the policies' folder holds at one moment. */
export interface PolicySource {
  readonly schema: string;
  /** Texts by id, `p/...`. */
  readonly platform: Readonly<Record<string, string>>;
  /** Texts by id, `t/...`, per tenant whose folder could be read as a whole. */
  readonly tenants: ReadonlyMap<string, Readonly<Record<string, string>>>;
  /** Why those of the others could not: none of their texts is known, because a forbid may be among what is missing. */
  readonly unreadable: ReadonlyMap<string, readonly PolicyProblem[]>;
  readonly cases: readonly NamedCases[];
  readonly brokenCases: readonly BrokenCases[];
  /** What is nobody's, and what to do about it. */
  readonly strays: readonly string[];
}

export interface NamedCases {
  readonly file: string;
  readonly cases: CaseFile;
}

/** A file of cases that cannot be read: the set that it names is not tried as it should be. */
export interface BrokenCases {
  /** That of the platform, on which every other stands, where the file does not say. */
  readonly set: string;
  readonly problem: string;
}

export type SourceRead =
  | { readonly kind: 'read'; readonly source: PolicySource }
  | { readonly kind: 'unreadable'; readonly problem: string };

export interface PolicyFolder {
  read(): Promise<SourceRead>;
}
