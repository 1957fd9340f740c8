import type { OwnTexts } from './wanted.js';
import { anyTenant } from './wanted.js';
import type { PolicyFolder, PolicySource } from './source.js';
import type { WrittenSets } from './written.js';

export interface SourceParts {
  readonly folder: PolicyFolder;
  readonly written: WrittenSets;
  readonly onProblem: (tenant: string, problem: string) => void;
}

const unanswered = 'the ledger has not yet told which sets were written by API';

/** What the folder says, as it was read last while the ledger had told what was written by API. */
export class SourceReader {
  #source: PolicySource | undefined;
  #problem: string | undefined;

  constructor(private readonly parts: SourceParts) {}

  get source(): PolicySource | undefined {
    return this.#source;
  }

  /** Why the last attempt came to nothing. */
  get problem(): string | undefined {
    return this.#problem;
  }

  folderOf(tenant: string): OwnTexts {
    return this.#source?.tenants.get(tenant) ?? {};
  }

  strays(): readonly string[] {
    return this.#source?.strays ?? [];
  }

  async read(): Promise<PolicySource | undefined> {
    const read = await this.parts.folder.read();
    const problem =
      read.kind === 'unreadable' ? read.problem : this.parts.written.ready ? undefined : unanswered;
    if (problem !== undefined && this.#problem !== problem) this.parts.onProblem(anyTenant, problem);
    this.#problem = problem;
    if (read.kind === 'unreadable' || problem !== undefined) return undefined;
    this.#tellStrays(read.source);
    this.#source = read.source;
    return read.source;
  }

  /** Once each: what is left aside today was so yesterday. */
  #tellStrays({ strays }: PolicySource): void {
    const told = new Set(this.#source?.strays);
    for (const stray of strays) if (!told.has(stray)) this.parts.onProblem(anyTenant, stray);
  }
}
