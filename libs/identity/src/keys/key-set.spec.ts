import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { keysAnswer, startKeyServer, type KeyServer } from './key-server.fixture.js';
import { createTokenVerifier, type TokenVerifier } from '../token-verifier.js';
import {
  goodClaims,
  issuer,
  jwkOf,
  jwksOptions,
  part,
  signedWithKey,
  startMs,
  testKey,
  type TestKey,
} from '../token.fixture.js';

const rsa = testKey('RS256', 'rsa-1');
const ec = testKey('ES256', 'ec-1');
const ed = testKey('EdDSA', 'ed-1');
const later = testKey('ES256', 'ec-2');
const minutes = 60_000;

let server: KeyServer;
let verifier: TokenVerifier;
let now: number;

beforeEach(async () => {
  now = startMs;
  server = await startKeyServer(keysAnswer([rsa, ec, ed].map(jwkOf)));
  verifier = createTokenVerifier(jwksOptions(server.url, () => now));
});
afterEach(async () => {
  verifier.close();
  await server.close();
});

/** A fresh token, so that no cache answers for the keys. */
function token(key: TestKey, claims: Record<string, unknown> = {}): string {
  return signedWithKey(key, {
    ...goodClaims,
    exp: Math.floor(now / 1000) + 600,
    jti: String(Math.random()),
    ...claims,
  });
}

async function causeOf(text: string): Promise<string> {
  const result = await verifier.verify(text);
  return result.kind === 'invalid' ? result.cause : result.kind;
}

describe('a verifier with a key set', () => {
  it('verifies RS256, ES256 and EdDSA with one read for any number of concurrent tokens', async () => {
    const keys = [rsa, ec, ed];
    const results = await Promise.all(
      Array.from({ length: 60 }, (_, n) => causeOf(token(keys[n % 3] ?? rsa))),
    );
    expect(new Set(results)).toEqual(new Set(['verified']));
    expect(server.requests).toEqual(['/keys']);
  });

  it('refuses HS256 signed with the public key, and a key used under another algorithm', async () => {
    const pem = rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString();
    const input = `${part({ alg: 'HS256', kid: rsa.kid })}.${part(goodClaims)}`;
    const forged = `${input}.${createHmac('sha256', pem).update(input).digest('base64url')}`;
    expect(await causeOf(forged)).toBe('algorithm_refused');
    expect(await causeOf(token({ ...ec, kid: rsa.kid }))).toBe('key_unknown');
    expect(
      await causeOf(token({ ...rsa, algorithm: 'RS256', privateKey: testKey('RS256', 'x').privateKey })),
    ).toBe('signature_wrong');
  });

  it('asks nobody for tokens that bring keys, lack a kid, or fail on a claim', async () => {
    const evil = await startKeyServer(keysAnswer([jwkOf(later)]));
    const bad = [
      signedWithKey(later, goodClaims, { jku: evil.url }),
      signedWithKey(later, goodClaims, { x5u: evil.url }),
      signedWithKey(later, goodClaims, { jwk: jwkOf(later) }),
      signedWithKey(later, goodClaims, { crit: ['exp'] }),
      signedWithKey(rsa, goodClaims, { kid: undefined }),
      token(rsa, { iss: `${issuer}/` }),
      token(rsa, { iss: undefined }),
      token(rsa, { aud: undefined }),
      token(rsa, { tenant_id: undefined }),
      token(rsa, { dev: true }),
    ];
    const causes = await Promise.all(bad.map(causeOf));
    await evil.close();
    expect(causes).toEqual([
      ...Array<string>(4).fill('header_refused'),
      'key_id_missing',
      'issuer_refused',
      'issuer_refused',
      'audience_refused',
      'tenant_refused',
      'development_token',
    ]);
    expect([...server.requests, ...evil.requests]).toEqual([]);
  });

  it('accepts a rotated key after one read and withdraws the old one, cached tokens included', async () => {
    const old = token(ec);
    expect(await causeOf(old)).toBe('verified');
    server.answer(keysAnswer([jwkOf(later)]));
    expect(await causeOf(token(later))).toBe('verified');
    expect(server.requests).toHaveLength(2);
    expect(verifier.cached(old)).toBeUndefined();
    now += 30_000;
    expect(await causeOf(old)).toBe('key_unknown');
  });

  it('reads at most once in 30 s for 500 random key ids', async () => {
    await causeOf(token(rsa));
    for (let round = 1; round <= 2; round += 1) {
      const ids = Array.from({ length: 250 }, (_, n) => ({
        ...ec,
        kid: `random-${String(round)}-${String(n)}`,
      }));
      const atOnce = await Promise.all(ids.map((key) => causeOf(token(key))));
      expect(new Set(atOnce)).toEqual(new Set(['key_unknown']));
      for (const key of ids) expect(await causeOf(token(key))).toBe('key_unknown');
      expect(server.requests).toHaveLength(1 + round);
      now += 30_000;
    }
  });

  it('serves known keys while the provider is down for at most an hour, and refuses unknown ones without asking again', async () => {
    await causeOf(token(rsa));
    server.answer((_request, response) => response.writeHead(503).end());
    now += 10 * minutes;
    expect(await causeOf(token(rsa))).toBe('verified');
    expect(server.requests).toHaveLength(2);
    expect(await causeOf(token(later))).toBe('key_unknown');
    expect(server.requests).toHaveLength(2);
    expect(verifier.problem()).toContain('503');
    now = startMs + 61 * minutes;
    expect(await causeOf(token(rsa))).toBe('keys_unavailable');
    now += 30_000;
    server.answer(keysAnswer([jwkOf(rsa)]));
    expect(await causeOf(token(rsa))).toBe('verified');
    expect(verifier.problem()).toBeUndefined();
  });

  it('reads anew after 5 minutes beside its use and after 9 minutes before it', async () => {
    await causeOf(token(ec));
    server.answer(keysAnswer([jwkOf(rsa)]));
    now += 9 * minutes + 1;
    expect(await causeOf(token(ec))).toBe('key_unknown');
    now += 5 * minutes + 1;
    const before = server.requests.length;
    expect(await causeOf(token(rsa))).toBe('verified');
    await expect.poll(() => server.requests.length).toBe(before + 1);
  });

  it('takes an empty key set as the withdrawal of all keys', async () => {
    await causeOf(token(rsa));
    server.answer(keysAnswer([]));
    now += 9 * minutes + 1;
    expect(await causeOf(token(rsa))).toBe('key_unknown');
  });

  it('follows no redirect and takes no more than 256 KB, no wrong JSON, no private or weak keys', async () => {
    const target = await startKeyServer(keysAnswer([jwkOf(rsa)]));
    const bodies = [
      JSON.stringify({ keys: [jwkOf(rsa)], pad: 'x'.repeat(300_000) }),
      'not json',
      '[]',
      '{"keys":7}',
      JSON.stringify({ keys: Array(200).fill(jwkOf(rsa)) }),
    ];
    server.answer((_request, response) => response.writeHead(302, { location: target.url }).end());
    expect(await causeOf(token(rsa))).toBe('keys_unavailable');
    expect(target.requests).toEqual([]);
    await target.close();
    for (const body of bodies) {
      now += 30_000;
      server.answer((_request, response) => response.end(body));
      expect(await causeOf(token(rsa))).toBe('keys_unavailable');
    }
    const leaked = { ...ec.privateKey.export({ format: 'jwk' }), kid: ec.kid };
    const symmetric = { kty: 'oct', k: part('x'.repeat(32)), kid: 'oct' };
    server.answer(keysAnswer([leaked, symmetric, { ...jwkOf(rsa), use: 'enc' }]));
    now += 30_000;
    expect(await causeOf(token(ec))).toBe('key_unknown');
    now += 30_000;
    expect(await causeOf(token(rsa))).toBe('key_unknown');
  });

  it('gives a read up when it is closed, and when nobody answers', async () => {
    server.answer(() => undefined);
    const waiting = causeOf(token(rsa));
    await expect.poll(() => server.requests.length).toBe(1);
    verifier.close();
    expect(await waiting).toBe('keys_unavailable');
  });

  it('stops waiting for a provider that never answers after 5 s', { timeout: 15_000 }, async () => {
    server.answer((_request, response) => response.write('{"keys":['));
    const began = performance.now();
    expect(await causeOf(token(rsa))).toBe('keys_unavailable');
    expect(performance.now() - began).toBeLessThan(8_000);
  });
});
