import type {
  AuthorizationAnswer,
  AuthorizationServers,
  Beginning,
  Begun,
  Granted,
  Hints,
  Wanted,
} from '../../domain/account/ports.js';
import type { Credentials } from '../../domain/account/credentials.js';
import type { ExpandedServer } from '../../domain/upstream.js';
import type { GotTokens, OAuth } from '../oauth/oauth.js';
import { Pending, Tokens, type OAuthServer } from '../oauth/oauth-types.js';

/** What the domain asks of authorization servers, by OAuth 2.1. */
export class OAuthServers implements AuthorizationServers {
  constructor(private readonly oauth: OAuth) {}

  async issuer(server: ExpandedServer, hints: Hints): ReturnType<AuthorizationServers['issuer']> {
    const found = await this.oauth.issuer(asked(server), hints);
    return found.kind === 'ok' ? { kind: 'found', issuer: found.issuer } : found;
  }

  async begin(server: ExpandedServer, { earlier, ...beginning }: Beginning): Promise<Begun> {
    const tokens = Tokens.safeParse(earlier).data;
    const begun = await this.oauth.begin(asked(server), { ...beginning, earlier: tokens });
    if (begun.kind !== 'ok') return begun;
    const { authorizationUrl, pending } = begun;
    return { kind: 'begun', authorizationUrl, state: pending.state, pending: JSON.stringify(pending) };
  }

  async finish(server: ExpandedServer, pending: string, answer: AuthorizationAnswer): Promise<Granted> {
    return grantedBy(await this.oauth.finish(asked(server), Pending.parse(JSON.parse(pending)), answer));
  }

  async refresh(server: ExpandedServer, credentials: Credentials): Promise<Granted> {
    return grantedBy(await this.oauth.refresh(asked(server), Tokens.parse(credentials)));
  }

  async clientCredentials(server: ExpandedServer, { earlier, ...wanted }: Wanted): Promise<Granted> {
    const tokens = Tokens.safeParse(earlier).data;
    return grantedBy(await this.oauth.clientCredentials(asked(server), { ...wanted, earlier: tokens }));
  }

  async exchange(server: ExpandedServer, callerToken: string, hints: Hints): Promise<Granted> {
    return grantedBy(await this.oauth.exchange(asked(server), callerToken, hints));
  }

  async revoke(server: ExpandedServer, credentials: Credentials): Promise<boolean> {
    const given = await this.oauth.revoke(asked(server), Tokens.parse(credentials));
    return given.kind === 'ok' && given.revoked;
  }
}

/** Only servers that have both get here: their transport and their client were checked when they were written. */
function asked({ config: { url, auth } }: ExpandedServer): OAuthServer {
  if (url === undefined || auth === undefined) throw new Error('the server has no OAuth client');
  return { url, auth };
}

function grantedBy(got: GotTokens): Granted {
  return got.kind === 'ok' ? { kind: 'granted', credentials: got.tokens } : got;
}
