import { readFile, readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { TenantId } from '@uar/contracts';
import type { NamedCases, PolicyFolder, SourceRead } from '../domain/policy/source.js';
import { parseCases } from './case-files.js';

const maxFileBytes = 1024 * 1024;
const maxFiles = 20_000;

/** `schema.cedarschema`, `platform/`, `tenants/<tenant>/` and `cases/` below one folder. */
export class PolicyFiles implements PolicyFolder {
  constructor(private readonly folder: string) {}

  /** `loading`: only cases that guard the loading of a set. */
  async read(cases: 'loading' | 'every' = 'loading'): Promise<SourceRead> {
    try {
      const schema = await readText(join(this.folder, 'schema.cedarschema'));
      const platform = await readPolicies(join(this.folder, 'platform'), 'p');
      const tenants = await this.readTenants();
      const rows = await readCases(join(this.folder, 'cases'), cases);
      return { kind: 'read', source: { schema, platform, tenants, cases: rows } };
    } catch (error) {
      return { kind: 'unreadable', problem: problemOf(error) };
    }
  }

  /** Changes whenever a file below the folder does: names, sizes, inodes and times of change. */
  async fingerprint(): Promise<string> {
    try {
      return (await stateOf(this.folder)).join('\n');
    } catch (error) {
      return problemOf(error);
    }
  }

  private async readTenants(): Promise<Map<string, Record<string, string>>> {
    const root = join(this.folder, 'tenants');
    const tenants = new Map<string, Record<string, string>>();
    for (const name of await namesIn(root, (entry) => entry.isDirectory())) {
      const tenant = TenantId.safeParse(name);
      if (!tenant.success) throw new Error(`tenants/${name} is no name of a tenant`);
      tenants.set(tenant.data, await readPolicies(join(root, name), 't'));
    }
    return tenants;
  }
}

/** Policies of one folder by id: `<tier>/<file name>`. */
export async function readPolicies(folder: string, tier: 'p' | 't'): Promise<Record<string, string>> {
  const names = await namesIn(folder, (entry) => !entry.isDirectory() && entry.name.endsWith('.cedar'));
  const texts = names.map(async (name): Promise<[string, string]> => [
    `${tier}/${basename(name, '.cedar')}`,
    await readText(join(folder, name)),
  ]);
  return Object.fromEntries(await Promise.all(texts));
}

async function readCases(folder: string, which: 'loading' | 'every'): Promise<readonly NamedCases[]> {
  const names = await namesIn(folder, (entry) => entry.name.endsWith('.yaml')).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  const texts = names.map(async (file) => ({ file, text: await readText(join(folder, file)) }));
  return (await Promise.all(texts))
    .filter(({ text }) => which === 'every' || !isForTestsAlone(text))
    .map(({ file, text }) => ({ file, cases: parseCases(file, text) }));
}

/** The set stands in a line of its own; parsing a whole file to learn it would cost every start 100 ms and more. */
function isForTestsAlone(text: string): boolean {
  return /^set: *['"]?(?:starter|example-)/m.test(text);
}

async function namesIn(
  folder: string,
  keep: (entry: { name: string; isDirectory(): boolean }) => boolean,
): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  if (entries.length > maxFiles) throw new Error(`more than ${maxFiles} files in ${folder}`);
  return entries
    .filter((entry) => !entry.name.startsWith('.') && keep(entry))
    .map((entry) => entry.name)
    .toSorted();
}

async function readText(path: string): Promise<string> {
  const found = await stat(path);
  // A pipe or a device would be read for ever.
  if (!found.isFile()) throw new Error(`${path} is no regular file`);
  if (found.size > maxFileBytes) throw new Error(`${path} is larger than ${maxFileBytes} bytes`);
  return readFile(path, 'utf8');
}

async function stateOf(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const states = entries.map(async (entry): Promise<readonly string[]> => {
    const path = join(folder, entry.name);
    const found = await stat(path).catch(() => undefined);
    // A link to nowhere: what stands beside it is looked at all the same.
    if (found === undefined) return [`${path} leads nowhere`];
    const { size, ino, ctimeMs, mtimeMs } = found;
    const own = `${path} ${size} ${ino} ${ctimeMs} ${mtimeMs}`;
    return entry.isDirectory() ? [own, ...(await stateOf(path))] : [own];
  });
  return (await Promise.all(states)).flat().toSorted();
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

function problemOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
