import type { CaseFile } from '../cases/case-file.js';

/** What the policies' folder holds at one moment. */
export interface PolicySource {
  readonly schema: string;
  /** Texts by id, `p/...`. */
  readonly platform: Readonly<Record<string, string>>;
  /** Texts by id, `t/...`, per tenant. */
  readonly tenants: ReadonlyMap<string, Readonly<Record<string, string>>>;
  readonly cases: readonly NamedCases[];
}

export interface NamedCases {
  readonly file: string;
  readonly cases: CaseFile;
}

export type SourceRead =
  | { readonly kind: 'read'; readonly source: PolicySource }
  | { readonly kind: 'unreadable'; readonly problem: string };

export interface PolicyFolder {
  read(): Promise<SourceRead>;
}
