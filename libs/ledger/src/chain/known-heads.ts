import { existsSync } from 'node:fs';
import type { KeyObject } from 'node:crypto';
import type { Digest } from '@uar/contracts';
import { readLines } from './lines.js';
import { SignedHead, createHeadCheck } from './signed-head.js';

/** What signed heads say about one tenant's chain. */
export interface TenantHeads {
  readonly heads: ReadonlyMap<number, Digest>;
  readonly problem?: string;
}

export interface HeadSources {
  /** `heads.jsonl`; a missing file is a problem of every chain. Absent: no heads are expected. */
  readonly headsFile?: string;
  /** Those that the database of the ledger has. Absent: as for `headsFile`. */
  readonly stored?: StoredHeads;
  /** Lines somebody else kept: they say what the file may no longer say. */
  readonly witnessed?: readonly SignedHead[];
  readonly publicKeys: readonly KeyObject[];
}

export interface StoredHeads {
  /** For messages. */
  readonly name: string;
  readonly count: number;
  readonly lines: Iterable<string>;
}

/** Heads of all tenants. A line that is no signed head makes every chain suspect: nobody knows whose it was. */
export class KnownHeads {
  readonly #byTenant = new Map<string, Map<number, Digest>>();
  readonly #problems = new Map<string, string>();
  readonly #check: (head: SignedHead) => string | undefined;
  #problem: string | undefined;

  /** `headLines`: how many lines the file is known to have had. */
  constructor(sources: HeadSources, headLines = 0) {
    this.#check = createHeadCheck(sources.publicKeys);
    for (const head of sources.witnessed ?? []) this.#take(head);
    if (sources.stored !== undefined) this.#readStored(sources.stored, headLines);
    if (sources.headsFile === undefined) return;
    if (existsSync(sources.headsFile)) this.#read(sources.headsFile, headLines);
    else this.#problem = `${sources.headsFile} is missing`;
  }

  tenants(): readonly string[] {
    return [...new Set([...this.#byTenant.keys(), ...this.#problems.keys()])];
  }

  of(tenant: string): TenantHeads {
    const problem = this.#problems.get(tenant) ?? this.#problem;
    const heads = this.#byTenant.get(tenant) ?? new Map<number, Digest>();
    return problem === undefined ? { heads } : { heads, problem };
  }

  #read(path: string, headLines: number): void {
    let number = 0;
    for (const { text, whole } of readLines(path)) {
      number += 1;
      const head = parseHead(text);
      if (head) this.#take(head);
      // A last line without its line break is one that a crash cut off.
      else if (whole) this.#problem ??= `line ${number} of ${path} is not a signed head`;
    }
    if (number < headLines) this.#problem ??= `${path} has ${number} lines of ${headLines} written`;
  }

  #readStored({ name, count, lines }: StoredHeads, headLines: number): void {
    for (const text of lines) {
      const head = parseHead(text);
      if (head) this.#take(head);
      else this.#problem ??= `a line of ${name} is not a signed head`;
    }
    if (count < headLines) this.#problem ??= `${name} has ${count} lines of ${headLines} written`;
  }

  #take(head: SignedHead): void {
    const heads = this.#byTenant.get(head.tenant) ?? new Map<number, Digest>();
    const known = heads.get(head.seq);
    const problem =
      this.#check(head) ??
      (known !== undefined && known !== head.hash
        ? `two signed heads name different hashes for receipt ${head.seq}`
        : undefined);
    if (problem !== undefined) {
      if (!this.#problems.has(head.tenant)) this.#problems.set(head.tenant, problem);
      return;
    }
    this.#byTenant.set(head.tenant, heads.set(head.seq, head.hash));
  }
}

/** Undefined for a line that is no head. Says nothing of its signature. */
export function parseHead(text: string): SignedHead | undefined {
  try {
    return SignedHead.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
