import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type Product, repositoryDir } from '@uar/testkit';

export interface CliResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The command line as a user of that product would run it: only its data folder, and database, in the environment. */
export async function runCli(
  product: Pick<Product, 'dataDir'> & Partial<Pick<Product, 'ledgerEnvironment'>>,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CliResult> {
  const child = spawn(process.execPath, [join(repositoryDir, 'apps/uar/dist/main.js'), ...args], {
    env: { ...process.env, UAR_DATA_DIR: product.dataDir, ...product.ledgerEnvironment, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code: code ?? -1, stdout, stderr };
}
