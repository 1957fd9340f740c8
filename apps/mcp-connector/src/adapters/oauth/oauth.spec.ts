import { hash } from 'node:crypto';
import { UpstreamAuth } from '@uar/contracts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Hints } from '../../domain/account/ports.js';
import { addressRules } from '../http/address-rules.js';
import { AuthorizationServer } from './authorization-server.fixture.js';
import { OAuth } from './oauth.js';
import { Pending, Tokens, type OAuthServer } from './oauth-types.js';

const redirectUri = 'https://uar.example/oauth/callback';
const now = 1_000_000;

describe('authorization by a code', () => {
  let as: AuthorizationServer;
  const oauth = new OAuth({ addresses: addressRules(['127.0.0.0/8']), now: () => now });
  beforeEach(async () => {
    as = await AuthorizationServer.start();
  });
  afterEach(() => as.stop());

  const server = (auth: object = {}): OAuthServer => ({
    url: `${as.url}/mcp`,
    auth: UpstreamAuth.parse({ type: 'oauth', ...auth }),
  });
  async function begun(of = server(), hints: Hints = {}, earlier?: Tokens) {
    const begin = await oauth.begin(of, { hints, redirectUri, earlier });
    if (begin.kind !== 'ok') throw new Error(begin.message);
    const query = Object.fromEntries(new URL(begin.authorizationUrl).searchParams);
    return { query, pending: Pending.parse(JSON.parse(JSON.stringify(begin.pending))) };
  }
  const refusal = async (of = server(), hints: Hints = {}): Promise<string> => {
    const begin = await oauth.begin(of, { hints, redirectUri });
    return begin.kind === 'ok' ? 'none' : `${begin.kind}: ${begin.message}`;
  };
  async function finished(of = server(), hints: Hints = {}, earlier?: Tokens): Promise<Tokens> {
    const { pending } = await begun(of, hints, earlier);
    const finish = await oauth.finish(of, pending, { state: pending.state, code: 'c' });
    if (finish.kind !== 'ok') throw new Error(finish.message);
    return Tokens.parse(JSON.parse(JSON.stringify(finish.tokens)));
  }

  it('registers, asks with PKCE and the resource, and takes tokens for the code', async () => {
    as.answers.set('/token', () => ({
      body: { access_token: 'at', token_type: 'bearer', expires_in: 60, refresh_token: 'rt' },
    }));
    const { query, pending } = await begun();
    expect(query).toMatchObject({
      ...{ response_type: 'code', client_id: 'registered', redirect_uri: redirectUri },
      ...{ code_challenge_method: 'S256', resource: `${as.url}/mcp`, state: pending.state },
    });
    expect(hash('sha256', pending.code_verifier, 'base64url')).toBe(query['code_challenge']);
    const finish = await oauth.finish(server(), pending, { state: pending.state, code: 'the-code' });
    expect(finish).toMatchObject({
      kind: 'ok',
      tokens: { access_token: 'at', refresh_token: 'rt', expires_at: now + 60_000 },
    });
    expect(as.lastForm).toMatchObject({
      ...{ grant_type: 'authorization_code', code: 'the-code', code_verifier: pending.code_verifier },
      ...{ redirect_uri: redirectUri, client_id: 'registered', resource: `${as.url}/mcp` },
    });
  });

  it('registers once per issuer and redirect URI', async () => {
    const earlier = await finished();
    await begun(server(), {}, earlier);
    expect(as.asked.filter(({ path }) => path === '/register').length).toBe(1);
    const moved = { ...earlier, source: { ...earlier.source, issuer: 'https://other.example' } };
    await begun(
      server(),
      {},
      {
        ...moved,
        registration: { ...earlier.registration, issuer: 'https://other.example' } as Tokens['registration'],
      },
    );
    expect(as.asked.filter(({ path }) => path === '/register').length).toBe(2);
  });

  it('is the client that is configured, or that a metadata document describes where that is understood', async () => {
    expect((await begun(server({ client_id: 'known' }))).query['client_id']).toBe('known');
    const document = server({ client_metadata_url: 'https://uar.example/client.json' });
    expect((await begun(document)).query['client_id']).toBe('registered');
    as.describe({ client_id_metadata_document_supported: true });
    expect((await begun(document)).query['client_id']).toBe('https://uar.example/client.json');
    as.describe({ registration_endpoint: undefined });
    expect(await refusal()).toMatch(/refused: .*auth.client_id is needed/);
  });

  it('proves itself at the token endpoint in the way that both sides can', async () => {
    const secret = { client_id: 'a b', client_secret: 's:é' };
    const header = (): string => as.asked.at(-1)?.headers.authorization ?? '';
    await finished(server(secret));
    expect(Buffer.from(header().slice(6), 'base64').toString()).toBe('a+b:s%3A%C3%A9');
    as.describe({ token_endpoint_auth_methods_supported: ['client_secret_post'] });
    await finished(server(secret));
    expect(header()).toBe('');
    expect(as.lastForm).toMatchObject({ client_id: 'a b', client_secret: 's:é' });
    await finished(server({ ...secret, token_endpoint_auth_method: 'client_secret_basic' }));
    expect(header()).toMatch(/^Basic /);
  });

  it('asks for the scopes of the challenge, of the resource, or of the configuration, and offline access where offered', async () => {
    const scope = async (of?: OAuthServer, hints?: Hints) => (await begun(of, hints)).query['scope'];
    expect(await scope()).toBeUndefined();
    as.describe({}, { scopes_supported: ['a', 'b'] });
    expect(await scope()).toBe('a b');
    expect(await scope(server(), { scope: 'c' })).toBe('c');
    expect(await scope(server({ scope: 'd' }), { scope: 'c' })).toBe('d');
    as.describe({ scopes_supported: ['offline_access'] }, { scopes_supported: ['a'] });
    expect(await scope()).toBe('a offline_access');
  });

  it('asks for what it had and what is wanted besides when a scope was insufficient', async () => {
    const earlier = await finished(server(), { scope: 'read' });
    const { query } = await begun(server(), { scope: 'write', error: 'insufficient_scope' }, earlier);
    expect(query['scope']?.split(' ').sort()).toEqual(['read', 'write']);
  });

  it('finds servers of 2025-03-26 by their origin, with metadata or without', async () => {
    as.answers.delete('/.well-known/oauth-protected-resource/mcp');
    expect((await begun()).query['resource']).toBeUndefined();
    as.describe({ issuer: `${as.url}/oauth` });
    expect(await refusal()).toMatch(/another issuer/);
    as.answers.delete('/.well-known/oauth-protected-resource/mcp');
    expect(await refusal()).toBe('none');
    as.describe({ issuer: 'https://elsewhere.example' });
    as.answers.delete('/.well-known/oauth-protected-resource/mcp');
    expect(await refusal()).toMatch(/another issuer/);
    as.answers.delete('/.well-known/oauth-authorization-server');
    expect((await finished()).source.token_endpoint).toBe(`${as.url}/token`);
  });

  it('refuses another resource, another issuer, no PKCE, and plain http behind https', async () => {
    as.describe({}, { resource: 'https://elsewhere.example/mcp' });
    expect(await refusal()).toMatch(/another resource/);
    as.describe({ issuer: 'https://elsewhere.example' });
    expect(await refusal()).toMatch(/another issuer/);
    as.describe({ code_challenge_methods_supported: undefined });
    expect(await refusal()).toMatch(/PKCE/);
    const secure = { ...server(), url: 'https://127.0.0.1:1/mcp' };
    expect(await refusal(secure, { resourceMetadata: `${as.url}/x` })).toMatch(/plain http/);
    expect(await refusal(server(), { resourceMetadata: 'http://169.254.169.254/x' })).toMatch(/not allowed/);
  });

  it('takes a response of the asked issuer alone (RFC 9207), for the state that it gave', async () => {
    as.describe({ authorization_response_iss_parameter_supported: true });
    const { pending } = await begun();
    const ends = async (more: object): Promise<string> => {
      const response = { state: pending.state, code: 'c', ...more };
      const finish = await oauth.finish(server(), pending, response);
      return finish.kind === 'ok' ? 'ok' : finish.message;
    };
    expect(await ends({ iss: as.url })).toBe('ok');
    for (const iss of [undefined, `${as.url}/`, 'https://evil.example'])
      expect(await ends({ iss }), iss).toMatch(/issuer/);
    expect(await ends({ iss: as.url, state: 'other' })).toMatch(/another request/);
    expect(await ends({ iss: as.url, error: 'access_denied' })).toMatch(/access_denied/);
    expect(await ends({ iss: as.url, error: '<b>' })).not.toContain('<b>');
  });
});
