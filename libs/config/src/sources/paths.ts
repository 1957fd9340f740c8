import { isAbsolute, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { changeStrings, isTree, type Path, type Tree } from './tree.js';

/** Folder of the installation: the shipped example and the shipped policies lie under it. */
export const productRoot = fileURLToPath(new URL('../../../..', import.meta.url)).replace(/[\\/]$/, '');

/** A path of the shipped configuration: relative ones are read from the installation. */
export function fromProductRoot(path: string): string {
  return resolve(productRoot, path);
}

const filePaths: readonly Path[] = [
  ['data_dir'],
  ['server', 'tls', 'cert_file'],
  ['server', 'tls', 'key_file'],
  ['security', 'jwt_secret_file'],
  ['governance', 'policies_dir'],
  ['ledger', 'password_file'],
  ['keys', '*'],
  ['native_tools', 'file_allowed_paths', '*'],
  ['mcp', 'config_files', '*'],
];

const serverPaths: readonly Path[] = [['cwd'], ['sandbox', 'read', '*'], ['sandbox', 'write', '*']];
const serverRoots: readonly Path[] = [
  ['mcp', 'servers', '*'],
  ['tenants', '*', 'mcp', 'servers', '*'],
];

/** Relative paths of one layer made absolute: a file's against its folder, the others' against the working folder. */
export function absolutePaths(layer: Tree, base: string): Tree {
  const patterns = [
    ...filePaths,
    ...serverRoots.flatMap((root) => serverPaths.map((path) => [...root, ...path])),
  ];
  let changed: unknown = layer;
  for (const pattern of patterns) changed = changeStrings(changed, pattern, (path) => absolute(path, base));
  for (const root of serverRoots)
    changed = changeStrings(changed, [...root, 'command'], (command) => absoluteCommand(command, base));
  return isTree(changed) ? changed : layer;
}

function absolute(path: string, base: string): string {
  return path === '' || path.startsWith('${') || isAbsolute(path) ? path : resolve(base, path);
}

/** `./server` is a file beside the configuration; a bare name is looked up in PATH by whoever starts it. */
function absoluteCommand(command: string, base: string): string {
  return /^\.\.?[\\/]/.test(command) ? resolve(base, command) : command;
}
