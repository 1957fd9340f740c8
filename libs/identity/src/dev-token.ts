import { createSecretKey } from 'node:crypto';
import { JwtService } from '@nestjs/jwt';

export interface DevToken {
  /** The HS256 secret of the configuration, at least 32 bytes. */
  readonly secret: string;
  readonly sub: string;
  readonly name: string;
  readonly roles: readonly string[];
  readonly groups: readonly string[];
  readonly tenant: string;
  /** At most 300. */
  readonly ttlSeconds: number;
  /** Default `urn:uar:dev`. */
  readonly issuer?: string;
  /** Default `uar`. */
  readonly audience?: string | readonly string[];
  readonly scopes?: readonly string[];
  /** Id of the agent that acts for `sub` (RFC 8693, claim `act`, unless `claims` names another). */
  readonly agent?: string;
  /** Absent: all of them. */
  readonly capabilities?: readonly string[];
  /** Names of the claims, where the configuration changed them. */
  readonly claims?: {
    readonly tenant: string;
    readonly roles: string;
    readonly groups: string;
    /** Default `act.sub`, a path. */
    readonly agent?: string;
  };
  /** Epoch milliseconds. */
  readonly now?: () => number;
}

export const maxDevTokenSeconds = 300;

/** An HS256 token for development: short, marked `dev: true`, refused by a gateway in profile server-full. */
export function mintDevToken(token: DevToken): string {
  if (Buffer.byteLength(token.secret) < 32) throw new RangeError('a token secret needs at least 32 bytes');
  if (!Number.isInteger(token.ttlSeconds) || token.ttlSeconds < 1 || token.ttlSeconds > maxDevTokenSeconds)
    throw new RangeError(
      `a development token lives 1 to ${String(maxDevTokenSeconds)} seconds, in whole seconds`,
    );
  const issuedAt = Math.floor((token.now?.() ?? Date.now()) / 1000);
  const names = token.claims ?? { tenant: 'tenant_id', roles: 'roles', groups: 'groups' };
  const claims = {
    iss: token.issuer ?? 'urn:uar:dev',
    aud: token.audience ?? 'uar',
    sub: token.sub,
    name: token.name,
    [names.tenant]: token.tenant,
    [names.roles]: token.roles,
    [names.groups]: token.groups,
    ...(token.scopes === undefined ? {} : { scope: token.scopes.join(' ') }),
    ...agentClaim(token),
    ...(token.capabilities === undefined ? {} : { capabilities: token.capabilities }),
    iat: issuedAt,
    exp: issuedAt + token.ttlSeconds,
    dev: true,
  };
  const key = createSecretKey(Buffer.from(token.secret));
  return new JwtService({ secretOrKeyProvider: () => key }).sign(claims, { algorithm: 'HS256' });
}

function agentClaim({ agent, claims }: DevToken): Record<string, unknown> {
  if (agent === undefined) return {};
  const name = claims?.agent ?? 'act.sub';
  return name === 'act.sub' ? { act: { sub: agent } } : { [name]: agent };
}
