import { statSync } from 'node:fs';
import { join } from 'node:path';

const parts = [
  { name: 'schema.cedarschema', shownAs: 'schema.cedarschema', kind: 'file' },
  { name: 'platform', shownAs: 'platform/', kind: 'folder' },
  { name: 'tenants', shownAs: 'tenants/', kind: 'folder' },
] as const;

const layout =
  'schema.cedarschema, platform/<id>.cedar, tenants/<tenant>/<id>.cedar and, where there are any, cases/<name>.yaml; ' +
  'the shipped one, to be copied, is deploy/policies';

/** Why a folder cannot hold the policies, with what it has to look like; undefined where it can. Contents are not read. */
export function policiesFolderProblem(folder: string): string | undefined {
  const missing = parts.filter(({ name, kind }) => !stands(kind, join(folder, name)));
  if (missing.length === 0) return undefined;
  const why = stands('folder', folder)
    ? `lacks ${missing.map(({ shownAs }) => shownAs).join(', ')}`
    : 'is no folder that can be read';
  return `${folder} ${why}. A folder of policies holds ${layout}`;
}

function stands(kind: 'file' | 'folder', path: string): boolean {
  try {
    const found = statSync(path);
    return kind === 'folder' ? found.isDirectory() : found.isFile();
  } catch {
    return false;
  }
}
