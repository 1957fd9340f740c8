import { describe, expect, it } from 'vitest';
import { mintDevToken } from './dev-token.js';
import { createTokenVerifier } from './token-verifier.js';
import { secret, secretOptions, startMs } from './token.fixture.js';

const token = {
  secret,
  sub: 'dev',
  name: 'Local Dev',
  roles: ['admin', 'user'],
  groups: ['staff'],
  tenant: 'default',
  ttlSeconds: 300,
  now: () => startMs,
};

describe('a development token', () => {
  it('is verified in minimal with all it says', async () => {
    const verifier = createTokenVerifier(secretOptions({ jwt_issuer: 'i', jwt_audience: ['a', 'b'] }));
    const result = await verifier.verify(mintDevToken({ ...token, issuer: 'i', audience: 'a' }));
    expect(result).toMatchObject({
      kind: 'verified',
      token_expires_at: startMs + 300_000,
      principal: {
        subject: 'dev',
        tenant: 'default',
        roles: ['admin', 'user'],
        groups: ['staff'],
        claims: { name: 'Local Dev' },
      },
    });
  });

  it('is marked, so that server-full refuses it', async () => {
    const full = createTokenVerifier(secretOptions({ allow_shared_secret: true }, 'server-full'));
    expect(await full.verify(mintDevToken(token))).toEqual({ kind: 'invalid', cause: 'development_token' });
  });

  it('follows configured claim names', async () => {
    const claims = { tenant: 'https://acme.example/t', roles: 'realm.roles', groups: 'g' };
    const verifier = createTokenVerifier(secretOptions({ claims }));
    expect(await verifier.verify(mintDevToken({ ...token, tenant: 'acme', claims }))).toMatchObject({
      principal: { tenant: 'acme', roles: ['admin', 'user'], groups: ['staff'] },
    });
  });

  it('may be delegated to an agent, and hold fewer capabilities', async () => {
    const verifier = createTokenVerifier(secretOptions({}));
    const minted = mintDevToken({ ...token, agent: 'coder', capabilities: ['read'] });
    expect(await verifier.verify(minted)).toMatchObject({
      principal: { kind: 'user', subject: 'dev', agent_id: 'coder', capabilities: ['read'] },
    });
  });

  it('refuses a longer life than 300 s and a short secret', () => {
    for (const ttlSeconds of [0, -1, 301, 1.5, NaN])
      expect(() => mintDevToken({ ...token, ttlSeconds })).toThrow(RangeError);
    expect(() => mintDevToken({ ...token, secret: 'short' })).toThrow(RangeError);
  });
});
