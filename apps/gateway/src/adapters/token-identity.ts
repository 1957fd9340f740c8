import { TenantId, type Caller, type Principal } from '@uar/contracts';
import type { TokenVerifier } from '@uar/identity';
import { channelOf, type Approach, type Identified, type Identity } from '../domain/access/identity.js';
import type { Runs } from '../domain/run/runs.js';

export interface IdentityOptions {
  readonly verifier: TokenVerifier;
  readonly runs: Runs;
  /** Requests without Authorization act as user `anonymous` (API.md, minimal on loopback only). */
  readonly anonymous: boolean;
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
    return cached === undefined ? this.verify(authorization, resource) : this.admit(cached);
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

  private async verify(authorization: string, resource: { audience?: string }): Promise<Identified> {
    const verified = await this.options.verifier.verify(authorization, resource);
    return verified.kind === 'verified' ? this.admit(verified.principal) : verified;
  }

  private admit(principal: Principal): Identified {
    if (this.options.requireScopes && principal.scopes.length === 0)
      return { kind: 'invalid', cause: 'scopes_missing' };
    return { kind: 'verified', principal };
  }
}
