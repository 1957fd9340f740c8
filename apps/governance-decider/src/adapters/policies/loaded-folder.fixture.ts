import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testConfig } from '@uar/testkit';
import { folderAlone } from '../../domain/sets/written.js';
import type { ToolSchemas } from '../../domain/policy/lint/tool-schema.js';
import { PolicySets } from '../../domain/sets/policy-sets.js';
import type { SetStatus } from '../../domain/sets/set-status.js';
import type { CedarEngine } from '../cedar/engine.js';
import { shippedFolder } from '../cedar/questions.fixture.js';
import { ConfigDirectory } from '../config-directory.js';
import { PolicyFiles } from './policy-folder.js';

/** A copy of the shipped folder, and the sets that are loaded from it. */
export class LoadedFolder {
  readonly swaps: { tenant: string; version: string }[] = [];
  readonly problems: { tenant: string; problem: string }[] = [];
  readonly files: PolicyFiles;
  readonly sets: PolicySets;
  #onSwap: () => void = () => undefined;

  private constructor(
    readonly folder: string,
    stage: CedarEngine,
    schemas?: ToolSchemas,
  ) {
    this.files = new PolicyFiles(folder);
    this.sets = new PolicySets({
      ...{ folder: this.files, written: folderAlone, stage, knownTenants: ['default', 'other'] },
      ...(schemas === undefined ? {} : { schemas }),
      directory: new ConfigDirectory(testConfig()),
      onSwap: (tenant, version) => {
        this.swaps.push({ tenant, version });
        this.#onSwap();
      },
      onProblem: (tenant, problem) => this.problems.push({ tenant, problem }),
    });
  }

  static async open(stage: CedarEngine, schemas?: ToolSchemas): Promise<LoadedFolder> {
    const folder = await mkdtemp(join(tmpdir(), 'policies-'));
    await cp(shippedFolder, folder, { recursive: true });
    return new LoadedFolder(folder, stage, schemas);
  }

  /** As it was when it was opened; what is loaded stays until it is loaded again. */
  async restore(): Promise<void> {
    await rm(this.folder, { recursive: true });
    await cp(shippedFolder, this.folder, { recursive: true });
    this.problems.length = 0;
    this.swaps.length = 0;
  }

  close(): Promise<void> {
    return rm(this.folder, { recursive: true });
  }

  statusOf(tenant: string): SetStatus | undefined {
    return this.sets.status().find((set) => set.tenant === tenant);
  }

  own(name: string): string {
    return join(this.folder, 'tenants/default', name);
  }

  platform(name: string): string {
    return join(this.folder, 'platform', name);
  }

  /** Another tenant with the same policies. */
  async add(tenant: string): Promise<void> {
    await cp(this.own(''), join(this.folder, 'tenants', tenant), { recursive: true });
  }

  nextSwap(): Promise<void> {
    return new Promise((resolve) => {
      this.#onSwap = resolve;
    });
  }

  /** Loads, and gives the version in force where nothing is wrong with it. */
  async load(tenant = 'default'): Promise<string> {
    await this.sets.reload();
    const status = this.statusOf(tenant);
    if (status?.loaded !== true || status.problem !== undefined)
      throw new Error(`${tenant}: ${status?.problem ?? 'not loaded'}`);
    return status.version;
  }
}
