import { canonicalDigest } from '@uar/catalog';
import { connectionOf, type ServerConfig } from '@uar/contracts';

const revisionHexDigits = 12;

/** Equal exactly when two configurations are. */
export function configDigest(config: ServerConfig): string {
  return canonicalDigest(config);
}

/** The 48-bit number by which hosts name the configuration they work with; the same after every restart. */
export function revisionOf(config: ServerConfig): number {
  return Number.parseInt(configDigest(config).slice('sha256:'.length).slice(0, revisionHexDigits), 16);
}

/** Changes with whatever makes a host connect anew. */
export function connectionKey(config: ServerConfig): string {
  return canonicalDigest(connectionOf(config));
}

/** What runs on a host's machine, and how freely: who changes it needs leave to set commands. */
export function processKey(config: ServerConfig): string | undefined {
  const { transport, command, args, cwd, env, sandbox } = config;
  return transport === 'stdio' ? canonicalDigest({ command, args, cwd, env, sandbox }) : undefined;
}
