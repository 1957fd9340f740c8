import { TenantId, type Caller, type Principal } from '@uar/contracts';
import type { TokenVerifier, VerifyOptions } from '@uar/identity';
import { noteBearer } from '../domain/access/caller-bearers.js';
import { channelOf, type Approach, type Identified, type Identity } from '../domain/access/identity.js';
import { lackedScopes, type TokenScope } from '../domain/access/token-scopes.js';
import type { Runs } from '../domain/run/runs.js';

export interface IdentityOptions {
  readonly verifier: TokenVerifier;
  readonly runs: Runs;
  readonly ownRequests: { take(authorization: string | undefined): Caller | undefined };
  /** Requests without Authorization act as user `anonymous` (API.md, minimal on loopback only). */
  readonly anonymous: boolean;
  /** Tokens without scopes lack them all; otherwise only tokens with scopes are held to them. */
  readonly requireScopes: boolean;
}

const anonymous: Principal = {
  issuer: 'uar',
  subject: 'anonymous',
  tenant: TenantId.parse('default'),
  kind: 'user',
  roles: [],
  groups: [],
  scopes: [],
  mfa: false,
  claims: {},
  expires_at: Number.MAX_SAFE_INTEGER,
};

export class TokenIdentity implements Identity {
  constructor(private readonly options: IdentityOptions) {}

  identify({ authorization, audience }: Approach): Identified | Promise<Identified> {
    if (authorization === undefined)
      return this.options.anonymous ? { kind: 'verified', principal: anonymous } : { kind: 'missing' };
    if (!/^bearer \S/i.test(authorization)) return { kind: 'invalid', cause: 'malformed' };
    const resource = audience === undefined ? {} : { audience };
    const cached = this.options.verifier.cached(authorization, resource);
    return cached === undefined
      ? this.verified(authorization, resource)
      : { kind: 'verified', principal: cached };
  }

  private async verified(authorization: string, resource: VerifyOptions): Promise<Identified> {
    const identified = await this.options.verifier.verify(authorization, resource);
    if (identified.kind === 'verified')
      noteBearer(identified.principal, authorization.slice('bearer '.length));
    return identified;
  }

  known(authorization: string | undefined): Caller | undefined {
    return this.options.ownRequests.take(authorization);
  }

  caller(principal: Principal, edge: 'http' | 'mcp', ip: string | undefined): Caller {
    const runId = this.options.runs.implicit(principal);
    return {
      principal,
      channel: channelOf(principal, edge),
      ...(ip === undefined ? {} : { ip }),
      run_id: runId,
      session_id: runId,
    };
  }

  lacks({ scopes }: Principal, needed: readonly TokenScope[]): readonly TokenScope[] {
    return this.options.requireScopes || scopes.length > 0 ? lackedScopes(scopes, needed) : [];
  }
}
