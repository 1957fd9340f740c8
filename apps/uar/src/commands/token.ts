import { formatProblems, loadConfig } from '@uar/config';
import { mintDevToken } from '@uar/identity';
import { json } from '../output.js';
import { CommandFailure, exit, type ExitCode, type World } from '../world.js';

export interface TokenOptions {
  readonly sub: string;
  readonly name: string;
  readonly roles: readonly string[];
  readonly groups: readonly string[];
  readonly tenant: string;
  /** Id of the agent that acts for `sub`. */
  readonly agent?: string;
  /** Absent: no scope claim. */
  readonly scopes?: readonly string[];
  readonly ttlSeconds: number;
  readonly json: boolean;
}

/** Mints a development token with the secret of this configuration; profile minimal without jwks_url only. */
export function printToken(world: World, options: TokenOptions): ExitCode {
  const loaded = loadConfig({ env: world.env, cwd: world.cwd });
  if (loaded.kind === 'bad')
    throw new CommandFailure(exit.failed, `the configuration is bad:\n${formatProblems(loaded.problems)}`);
  const { profile, security } = loaded.config;
  if (profile !== 'minimal')
    throw new CommandFailure(exit.failed, `profile ${profile} takes no development tokens`);
  if (security.jwt_secret === undefined)
    throw new CommandFailure(exit.failed, 'with jwks_url tokens come from the identity provider');
  const token = mintDevToken({
    secret: security.jwt_secret,
    sub: options.sub,
    name: options.name,
    roles: options.roles,
    groups: options.groups,
    tenant: options.tenant,
    ttlSeconds: options.ttlSeconds,
    claims: security.claims,
    ...(options.scopes === undefined ? {} : { scopes: options.scopes }),
    ...(options.agent === undefined ? {} : { agent: options.agent }),
    ...(security.jwt_issuer === undefined ? {} : { issuer: security.jwt_issuer }),
    ...(security.jwt_audience === undefined ? {} : { audience: security.jwt_audience }),
  });
  world.out(options.json ? json({ token, expires_in: options.ttlSeconds }) : `${token}\n`);
  return exit.ok;
}
