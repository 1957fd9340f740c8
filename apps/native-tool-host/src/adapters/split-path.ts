import { componentsOf } from '../domain/path-rules.js';
import { FileRefused } from './file-errors.js';

/** Folder and last component of an absolute path. */
export function splitPath(path: string): { readonly parent: string; readonly name: string } {
  const components = componentsOf(path);
  const name = components?.at(-1);
  if (components === undefined || name === undefined || path.endsWith('/'))
    throw new FileRefused('not_allowed');
  return { parent: `/${components.slice(0, -1).join('/')}`, name };
}
