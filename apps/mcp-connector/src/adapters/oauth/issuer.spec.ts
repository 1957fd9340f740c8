import { UpstreamAuth } from '@uar/contracts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addressRules } from '../http/address-rules.js';
import { AuthorizationServer } from './authorization-server.fixture.js';
import { OAuth } from './oauth.js';
import type { OAuthServer } from './oauth-types.js';

describe('which authorization server is asked', () => {
  let as: AuthorizationServer;
  let other: AuthorizationServer;
  const oauth = new OAuth({ addresses: addressRules(['127.0.0.0/8']), now: () => 0 });
  beforeEach(async () => {
    as = await AuthorizationServer.start();
    other = await AuthorizationServer.start();
  });
  afterEach(() => Promise.all([as.stop(), other.stop()]));

  const server = (auth: object = {}): OAuthServer => ({
    url: `${as.url}/mcp`,
    auth: UpstreamAuth.parse({
      ...{ type: 'oauth', flow: 'client_credentials', client_id: 'us', client_secret: 's3cret' },
      ...auth,
    }),
  });
  const ends = async (auth: object, pinned?: string): Promise<string> => {
    const got = await oauth.clientCredentials(server(auth), { hints: {}, pinned });
    return got.kind === 'ok' ? got.tokens.source.issuer : `${got.kind}: ${got.message}`;
  };
  const names = (...authorization_servers: string[]) => as.describe({}, { authorization_servers });
  const sawSecret = ({ asked }: AuthorizationServer) => asked.some(({ method }) => method === 'POST');

  it('is the configured one of several that the upstream names', async () => {
    names(other.url, as.url);
    expect(await ends({ issuer: as.url })).toBe(as.url);
    expect(await ends({ issuer: `${as.url}/` })).toBe(as.url);
    expect(sawSecret(other)).toBe(false);
    expect(await ends({})).toBe(other.url);
  });

  it('is none where the upstream names others than the configured one', async () => {
    names(other.url);
    expect(await ends({ issuer: as.url })).toBe(
      'refused: the upstream names other authorization servers than auth.issuer',
    );
    expect([sawSecret(as), sawSecret(other)]).toEqual([false, false]);
  });

  it('is the configured one where the upstream names none, by metadata of exactly that issuer', async () => {
    as.answers.delete('/.well-known/oauth-protected-resource/mcp');
    expect(await ends({ issuer: other.url })).toBe(other.url);
    expect(sawSecret(as)).toBe(false);
    other.describe({ issuer: `${other.url}/elsewhere` });
    expect(await ends({ issuer: other.url })).toMatch(/^refused: .* of another issuer$/);
    other.answers.clear();
    expect(await ends({ issuer: other.url })).toMatch(/^refused: .* publishes no metadata$/);
    expect(await ends({ issuer: '${NOT_FILLED_IN}' })).toBe('refused: auth.issuer is no URL');
  });

  it('is the one that was found before, or none', async () => {
    names(other.url, as.url);
    expect(await ends({}, as.url)).toBe(as.url);
    names(other.url);
    expect(await ends({}, as.url)).toBe(
      'refused: the upstream names another authorization server than before: ' +
        'set auth.issuer, or disconnect the server and connect it again',
    );
    as.answers.delete('/.well-known/oauth-protected-resource/mcp');
    expect(await ends({}, `${as.url}/`)).toBe(as.url);
    as.describe({ issuer: `${as.url}/moved` });
    as.answers.delete('/.well-known/oauth-protected-resource/mcp');
    expect(await ends({}, as.url)).toMatch(/^refused: .* another authorization server than before/);
    expect(sawSecret(other)).toBe(false);
  });

  it('is told without a secret being sent', async () => {
    expect(await oauth.issuer(server(), {})).toEqual({ kind: 'ok', issuer: as.url });
    expect(sawSecret(as)).toBe(false);
  });

  it('is the audience of a signed assertion where the token endpoint is configured too', async () => {
    const token_endpoint = `${as.url}/token`;
    expect(await ends({ token_endpoint })).toBe(as.url);
    expect(await ends({ token_endpoint, issuer: 'https://issuer.example' })).toBe('https://issuer.example');
  });
});
