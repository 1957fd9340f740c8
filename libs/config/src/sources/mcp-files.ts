import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { ServerConfig } from '@uar/contracts';
import { getNodeValue, parseTree, printParseErrorCode, type Node, type ParseError } from 'jsonc-parser';
import { readMcpEntry } from './mcp-entry.js';
import type { Problem } from '../check/problem.js';
import type { UarConfig } from '../schema.js';
import { cleanServerName, nameProblem } from '../check/server-names.js';
import { isTree, type Tree } from './tree.js';

export interface McpFiles {
  readonly servers: Readonly<Record<string, ServerConfig>>;
  /** File by server name. */
  readonly origins: ReadonlyMap<string, string>;
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
}

/**
 * Reads files in the shape of claude_desktop_config.json or mcp.json (`mcpServers` or `servers`; comments and trailing
 * commas allowed). A server that cannot be had is reported and skipped; a file that cannot be read, a name that is
 * taken or an entry of a wrong shape is a problem. `taken` holds the servers that already exist.
 */
export function readMcpFiles(options: { files: readonly string[]; taken: UarConfig }): McpFiles {
  const collected: Collected = {
    servers: {},
    origins: new Map(),
    problems: [],
    warnings: [],
    taken: new Map(),
  };
  const { mcp, tenants } = options.taken;
  for (const name of Object.keys(mcp.servers)) collected.taken.set(name, `mcp.servers.${name}`);
  for (const [tenant, entry] of Object.entries(tenants))
    if (tenant === 'default')
      for (const name of Object.keys(entry.mcp.servers))
        collected.taken.set(name, `tenants.default.mcp.servers.${name}`);
  for (const file of options.files) readFile(file, collected);
  return collected;
}

interface Collected {
  readonly servers: Record<string, ServerConfig>;
  readonly origins: Map<string, string>;
  readonly problems: Problem[];
  readonly warnings: Problem[];
  readonly taken: Map<string, string>;
}

function readFile(file: string, into: Collected): void {
  const root = parseFile(file, into.problems);
  if (root === undefined) return;
  const key = ['mcpServers', 'servers'].find((candidate) => root[candidate] !== undefined);
  if (key === undefined) {
    into.problems.push({ path: file, message: 'has neither mcpServers nor servers' });
    return;
  }
  const entries = root[key];
  if (!isTree(entries)) {
    into.problems.push({ path: file, message: `${key} is no mapping of servers` });
    return;
  }
  for (const [name, entry] of Object.entries(entries)) addServer({ file, written: name, entry }, into);
}

function addServer(found: { file: string; written: string; entry: unknown }, into: Collected): void {
  const { file, written, entry } = found;
  const path = `${file}: ${written}`;
  const name = cleanServerName(written);
  const unusable = nameProblem(name);
  if (unusable !== undefined) {
    into.problems.push({ path, message: unusable });
    return;
  }
  const taken = into.taken.get(name);
  if (taken !== undefined) {
    into.problems.push({ path, message: `the name ${name} is taken by ${taken}` });
    return;
  }
  into.taken.set(name, path);
  if (name !== written) into.warnings.push({ path, message: `is named ${name} here` });
  const read = readMcpEntry(entry, file);
  for (const note of read.notes) into.warnings.push({ path, message: note });
  switch (read.kind) {
    case 'skipped':
      into.warnings.push({ path, message: `skipped: ${read.reason}` });
      return;
    case 'bad':
      into.problems.push(...read.problems.map((message) => ({ path, message })));
      return;
    case 'server':
      into.servers[name] = read.server;
      into.origins.set(name, file);
  }
}

function parseFile(file: string, problems: Problem[]): Tree | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    const message = code === 'ENOENT' ? 'the file does not exist' : `the file cannot be read (${code})`;
    problems.push({ path: file, message });
    return undefined;
  }
  const errors: ParseError[] = [];
  const node = parseTree(text, errors, { allowTrailingComma: true });
  const line = (offset: number) => `${basename(file)}:${text.slice(0, offset).split('\n').length}`;
  for (const fault of errors)
    problems.push({ path: line(fault.offset), message: printParseErrorCode(fault.error) });
  if (errors.length > 0 || node === undefined) return undefined;
  const twins = duplicates(node);
  for (const twin of twins) problems.push({ path: line(twin.offset), message: `${twin.key} stands twice` });
  const value: unknown = getNodeValue(node);
  if (isTree(value)) return twins.length === 0 ? value : undefined;
  problems.push({ path: file, message: 'the file holds no JSON object' });
  return undefined;
}

function duplicates(node: Node): { key: string; offset: number }[] {
  const keys = new Set<string>();
  return (node.children ?? []).flatMap((child) => {
    if (child.type !== 'property') return duplicates(child);
    const [name, value] = child.children ?? [];
    const key = String(name?.value);
    const twin = keys.has(key) ? [{ key, offset: child.offset }] : [];
    keys.add(key);
    return value === undefined ? twin : [...twin, ...duplicates(value)];
  });
}
