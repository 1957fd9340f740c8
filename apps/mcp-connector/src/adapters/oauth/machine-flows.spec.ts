import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { UpstreamAuth } from '@uar/contracts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addressRules } from '../http/address-rules.js';
import { AuthorizationServer } from './authorization-server.fixture.js';
import { OAuth } from './oauth.js';
import type { OAuthServer, Tokens } from './oauth-types.js';

const now = 1_000_000;
const secret = { flow: 'client_credentials', client_id: 'us', client_secret: 's3cret' };

describe('tokens without a browser', () => {
  let as: AuthorizationServer;
  const oauth = new OAuth({ addresses: addressRules(['127.0.0.0/8']), now: () => now });
  beforeEach(async () => {
    as = await AuthorizationServer.start();
  });
  afterEach(() => as.stop());

  const server = (auth: object = secret): OAuthServer => ({
    url: `${as.url}/mcp`,
    auth: UpstreamAuth.parse({ type: 'oauth', ...auth }),
  });
  async function tokens(of = server(), hints = {}): Promise<Tokens> {
    const got = await oauth.clientCredentials(of, { hints });
    if (got.kind !== 'ok') throw new Error(got.message);
    return got.tokens;
  }

  it('asks for the client itself, with the scopes that are wanted', async () => {
    as.describe({}, { scopes_supported: ['a'] });
    await tokens();
    expect(as.lastForm).toEqual({
      ...{ grant_type: 'client_credentials', scope: 'a', resource: `${as.url}/mcp` },
    });
    await tokens(server({ ...secret, audience: 'x' }), { scope: 'b' });
    expect(as.lastForm).toMatchObject({ scope: 'b', audience: 'x' });
  });

  it('asks for what its earlier tokens permit and for what is wanted besides', async () => {
    as.describe({}, { scopes_supported: ['a'] });
    const earlier = await tokens();
    const hints = { error: 'insufficient_scope', scope: 'b' };
    expect(await oauth.clientCredentials(server(), { hints, earlier })).toMatchObject({ kind: 'ok' });
    expect(as.lastForm['scope']?.split(' ').toSorted()).toEqual(['a', 'b']);
  });

  it('asks where the configuration says, without discovery', async () => {
    await tokens(server({ ...secret, token_endpoint: `${as.url}/token` }));
    expect(as.asked.map(({ path }) => path)).toEqual(['/token']);
  });

  it('signs with its private key, for the issuer (RFC 7523)', async () => {
    const keys = [
      ['ES256', generateKeyPairSync('ec', { namedCurve: 'P-256' })],
      ['RS256', generateKeyPairSync('rsa', { modulusLength: 2048 })],
      ['EdDSA', generateKeyPairSync('ed25519')],
    ] as const;
    for (const [alg, { privateKey }] of keys) {
      const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
      await tokens(server({ flow: 'client_credentials', client_id: 'us', private_key: pem }));
      const [head = '', claims = '', signature = ''] = as.lastForm['client_assertion']?.split('.') ?? [];
      const read = (part: string): unknown => JSON.parse(Buffer.from(part, 'base64url').toString());
      expect(read(head)).toMatchObject({ alg });
      expect(read(claims)).toMatchObject({ iss: 'us', sub: 'us', aud: as.url });
      const valid = verify(
        alg === 'EdDSA' ? undefined : 'sha256',
        Buffer.from(`${head}.${claims}`),
        { key: createPublicKey(privateKey), dsaEncoding: 'ieee-p1363' },
        Buffer.from(signature, 'base64url'),
      );
      expect(valid, alg).toBe(true);
    }
    const wrong = await oauth.clientCredentials(
      server({ ...secret, client_secret: undefined, private_key: 'x' }),
      { hints: {} },
    );
    expect(wrong).toEqual({ kind: 'refused', message: 'auth.private_key is no private key in PEM' });
  });

  it('says which kinds of private keys there may be', async () => {
    const { privateKey } = generateKeyPairSync('ed448');
    const private_key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const other = server({ flow: 'client_credentials', client_id: 'us', private_key });
    expect(await oauth.clientCredentials(other, { hints: {} })).toEqual({
      ...{ kind: 'refused' },
      message: 'auth.private_key has to be RSA, Ed25519, or EC on P-256, P-384 or P-521',
    });
  });

  it('refreshes, keeps a refresh token that is not replaced, and gives tokens back (RFC 7009)', async () => {
    as.describe({ revocation_endpoint: `${as.url}/revoke` });
    as.answers.set('/revoke', () => ({ body: {} }));
    const stored = { ...(await tokens()), refresh_token: 'rt' };
    const same = await oauth.refresh(server(), stored);
    expect(same).toMatchObject({ kind: 'ok', tokens: { access_token: 'at', refresh_token: 'rt' } });
    expect(as.lastForm).toMatchObject({ grant_type: 'refresh_token', refresh_token: 'rt' });
    as.answers.set('/token', () => ({
      body: { access_token: 'b', token_type: 'Bearer', refresh_token: 'new' },
    }));
    expect(await oauth.refresh(server(), stored)).toMatchObject({ tokens: { refresh_token: 'new' } });
    expect(await oauth.revoke(server(), stored)).toEqual({ kind: 'ok', revoked: true });
    expect(as.asked.at(-1)?.body).toBe('token=rt&token_type_hint=refresh_token');
  });

  it('tells apart who has to do something, and repeats no text of others', async () => {
    const stored = { ...(await tokens()), refresh_token: 'rt' };
    const ends = async (status: number, body: unknown): Promise<string> => {
      as.answers.set('/token', () => ({ status, body }));
      const got = await oauth.refresh(server(), stored);
      return got.kind === 'ok' ? 'ok' : `${got.kind}: ${got.message}`;
    };
    const planted = { error_description: 'planted' };
    expect(await ends(400, { error: 'invalid_grant', ...planted })).toBe(
      'authorization_needed: the authorization server refused: invalid_grant',
    );
    expect(await ends(401, { error: 'invalid_client', ...planted })).toMatch(/^refused: .*invalid_client$/);
    expect(await ends(400, { error: 'planted words', ...planted })).toMatch(/^refused: .*HTTP 400$/);
    expect(await ends(503, 'planted')).toMatch(/^unreachable: .*HTTP 503$/);
    expect(await ends(200, { access_token: 'x', token_type: 'DPoP' })).toMatch(/no bearer token/);
    expect(await ends(200, 'planted')).toMatch(/no tokens/);
    expect(await ends(200, 'x'.repeat(300_000))).toMatch(/too long/);
  });

  it('sends secrets nowhere else', async () => {
    as.answers.set('/token', () => ({ status: 307, headers: { location: `${as.url}/elsewhere` } }));
    expect(await oauth.clientCredentials(server(), { hints: {} })).toMatchObject({ kind: 'refused' });
    expect(as.asked.some(({ path }) => path === '/elsewhere')).toBe(false);
    const nobody = { ...server({ ...secret, token_endpoint: 'http://127.0.0.1:9/token' }) };
    expect(await oauth.clientCredentials(nobody, { hints: {} })).toMatchObject({ kind: 'unreachable' });
  });
});
