import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryDir } from '@uar/testkit';

/** MCP clients and servers of others, at pinned versions; `npm run e2e` installs them. */
const folder = join(repositoryDir, 'e2e', 'peers');
const isInstalled = existsSync(join(folder, 'node_modules', '.package-lock.json'));
const isRequired = (process.env['UAR_TEST_REQUIRE'] ?? '').split(',').includes('peers');

/** False: the tests with them do not run here. Where they are required those fail instead. */
export const hasPeers = isInstalled || isRequired;
if (!hasPeers) console.warn('not run: the MCP clients and servers of others (not installed in e2e/peers)');

/** The program of one of them. */
export function peerProgram(name: string, bin?: string): string {
  const package_ = join(folder, 'node_modules', name);
  const { bin: bins } = JSON.parse(readFileSync(join(package_, 'package.json'), 'utf8')) as {
    bin: Record<string, string>;
  };
  const [file] = bin === undefined ? Object.values(bins) : [bins[bin]];
  if (file === undefined) throw new Error(`${name} has no program`);
  return join(package_, file);
}

/** Runs a script with this Node; resolves with what it wrote to stdout. */
export async function runNode(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: folder,
    env: { ...process.env, ...env },
    timeout: 60_000,
    maxBuffer: 32 * 1024 * 1024,
  });
  return stdout;
}

/** What a client library of another says that it lists, and what a call of it gives. */
export async function callThrough(
  library: 'ai-sdk' | 'langchain' | 'openai-agents',
  call: { readonly url: string; readonly token: string; readonly tool: string; readonly arguments: object },
): Promise<{ readonly tools: readonly string[]; readonly result: unknown }> {
  const script = join(folder, 'clients', 'call.mjs');
  const said = await runNode([
    script,
    library,
    call.url,
    call.token,
    call.tool,
    JSON.stringify(call.arguments),
  ]);
  return JSON.parse(said.trim().split('\n').at(-1) ?? '') as { tools: string[]; result: unknown };
}
