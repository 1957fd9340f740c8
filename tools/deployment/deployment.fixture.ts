import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadConfig } from '@uar/config';
import { configVariables } from '../../libs/config/src/sources/environment.js';

export const root = fileURLToPath(new URL('../..', import.meta.url));
export const read = (path: string): string => readFileSync(join(root, path), 'utf8');

export const services = [
  'gateway',
  'catalog-registry',
  'governance-decider',
  'approval-service',
  'mcp-connector',
  'native-tool-host',
];
/** Those that check signatures, and the one that makes them. */
export const grantReaders = ['gateway', 'governance-decider', 'mcp-connector', 'native-tool-host'];
/** Read by libs/service, not by the configuration. */
const processVariables = ['UAR_CONFIG', 'UAR_NATS_USER', 'UAR_NATS_PASSWORD_FILE', 'UAR_PROBE_PORT'];

export function canRun(program: string, args: readonly string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** What it prints; throws where it fails. */
export const run = (program: string, args: readonly string[], input?: string): string =>
  execFileSync(program, args, { cwd: root, encoding: 'utf8', input, stdio: ['pipe', 'pipe', 'pipe'] });

/** Names of variables that no service reads. */
export const unread = (names: readonly string[]): string[] =>
  names.filter(
    (name) => name.startsWith('UAR_') && !(name in configVariables) && !processVariables.includes(name),
  );

/** Why a service with this environment would not start, or would complain. */
export function complaints(environment: Readonly<Record<string, string>>): unknown[] {
  const env = { ...environment, UAR_CONFIG: join(root, 'deploy/config/server-full.yaml') };
  const loaded = loadConfig({ env, cwd: tmpdir() });
  return loaded.kind === 'bad' ? [...loaded.problems] : [...loaded.warnings];
}

export const natsPasswords = [...read('deploy/nats/nats.conf').matchAll(/password: \$(\w+)/g)]
  .map(([, name]) => name)
  .sort();
export const passwordOf = (service: string): string =>
  `UAR_NATS_${service.toUpperCase().replaceAll('-', '_')}_PASSWORD`;
