import { createHmac, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { CallId, GrantClaims } from '@uar/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createGrantSigner } from './grant-signer.js';
import { createGrantVerifier, type ExpectedCall } from './grant-verifier.js';
import { createStatementSigner } from './statement.js';

const pair = generateKeyPairSync('ed25519');
const other = generateKeyPairSync('ed25519');
const signer = createGrantSigner(pair.privateKey);
const now = 1_800_000_000_000;
const instance = '0123456789abcdef';
const digest = (char: string) => `sha256:${char.repeat(64)}`;

const claims = GrantClaims.parse({
  call_id: `call_${'a'.repeat(32)}`,
  tenant: 'default',
  principal: 'User::"default/dev"',
  host: 'mcp',
  instance,
  server: 'time',
  raw_name: 'now',
  definition_digest: digest('1'),
  arguments_digest: digest('2'),
  policy_version: digest('3'),
  issued_at: now,
  expires_at: now + 30_000,
});
const expected: ExpectedCall = {
  call_id: claims.call_id,
  tenant: claims.tenant,
  server: claims.server,
  raw_name: claims.raw_name,
  definition_digest: claims.definition_digest,
  arguments_digest: claims.arguments_digest,
};

function verifier(options: { publicKeys?: KeyObject[]; now?: () => number; maxRemembered?: number } = {}) {
  return createGrantVerifier({
    publicKeys: [pair.publicKey],
    host: 'mcp',
    instance,
    now: () => now,
    ...options,
  });
}

/** Any header and body under a real signature of the right key: what only a confused verifier would take. */
function signedAs(header: unknown, body: unknown): string {
  const real = createStatementSigner({ privateKey: pair.privateKey, typ: 'x' }).sign(body).split('.');
  return [Buffer.from(JSON.stringify(header)).toString('base64url'), real[1], real[2]].join('.');
}

describe('a grant', () => {
  it('is valid for the call it names', () => {
    expect(verifier().verify(signer.sign(claims), expected)).toEqual({ kind: 'valid', claims });
  });

  it('names its algorithm, key and type', () => {
    const header = JSON.parse(Buffer.from(signer.sign(claims).split('.')[0] ?? '', 'base64url').toString());
    expect(header).toEqual({ alg: 'EdDSA', kid: signer.keyId, typ: 'uar-grant+1' });
  });

  it('is refused when any byte of it changed', () => {
    const grant = signer.sign(claims);
    fc.assert(
      fc.property(fc.nat(grant.length - 1), fc.string({ minLength: 1, maxLength: 1 }), (at, char) => {
        fc.pre(grant[at] !== char);
        const changed = grant.slice(0, at) + char + grant.slice(at + 1);
        expect(verifier().verify(changed, expected).kind).toBe('refused');
      }),
      { numRuns: 600 },
    );
  });

  it('is refused with other spellings of its last character', () => {
    const grant = signer.sign(claims);
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=';
    for (const char of alphabet) {
      const changed = grant.slice(0, -1) + char;
      if (changed !== grant) expect(verifier().verify(changed, expected).kind).toBe('refused');
    }
  });

  it.each(Object.keys(expected))('is refused for another %s', (field) => {
    const wrong = field === 'call_id' ? CallId.parse(`call_${'b'.repeat(32)}`) : digest('9');
    const refused = verifier().verify(signer.sign(claims), { ...expected, [field]: wrong });
    expect(refused).toEqual({ kind: 'refused', cause: `wrong_${field}` });
  });

  it('is refused by another host kind and another instance', () => {
    const grant = signer.sign(claims);
    const options = { publicKeys: [pair.publicKey], now: () => now };
    const native = createGrantVerifier({ ...options, host: 'native', instance });
    const elsewhere = createGrantVerifier({ ...options, host: 'mcp', instance: 'fedcba9876543210' });
    expect(native.verify(grant, expected)).toEqual({ kind: 'refused', cause: 'wrong_host' });
    expect(elsewhere.verify(grant, expected)).toEqual({ kind: 'refused', cause: 'wrong_instance' });
  });

  it('is refused from the moment it expires, and before it was issued', () => {
    const grant = signer.sign(claims);
    const at = (time: number) => verifier({ now: () => time }).verify(grant, expected);
    expect(at(claims.expires_at - 1).kind).toBe('valid');
    expect(at(claims.expires_at)).toEqual({ kind: 'refused', cause: 'expired' });
    expect(at(claims.issued_at - 5_000).kind).toBe('valid');
    expect(at(claims.issued_at - 5_001)).toEqual({ kind: 'refused', cause: 'not_yet_valid' });
  });

  it('is refused when signed by a key the host does not know', () => {
    const foreign = createGrantSigner(other.privateKey).sign(claims);
    expect(verifier().verify(foreign, expected)).toEqual({ kind: 'refused', cause: 'unknown_key' });
    expect(verifier({ publicKeys: [pair.publicKey, other.publicKey] }).verify(foreign, expected).kind).toBe(
      'valid',
    );
  });

  it('is refused when it claims a known key but was signed by another', () => {
    const [, body, signature] = createGrantSigner(other.privateKey).sign(claims).split('.');
    const [header] = signer.sign(claims).split('.');
    const forged = [header, body, signature].join('.');
    expect(verifier().verify(forged, expected)).toEqual({ kind: 'refused', cause: 'bad_signature' });
  });
});

describe('a header of another making', () => {
  const kid = signer.keyId;
  it.each([
    ['no algorithm', { alg: 'none', kid, typ: 'uar-grant+1' }],
    ['another casing', { alg: 'eddsa', kid, typ: 'uar-grant+1' }],
    ['a MAC', { alg: 'HS256', kid, typ: 'uar-grant+1' }],
    ['a key of its own', { alg: 'EdDSA', kid, typ: 'uar-grant+1', jwk: {} }],
    ['a key url', { alg: 'EdDSA', kid, typ: 'uar-grant+1', jku: 'https://example.com' }],
    ['another type', { alg: 'EdDSA', kid, typ: 'uar-ticket+1' }],
    ['another member order', { typ: 'uar-grant+1', alg: 'EdDSA', kid }],
  ])('is refused: %s', (_name, header) => {
    expect(verifier().verify(signedAs(header, claims), expected)).toEqual({
      kind: 'refused',
      cause: 'bad_header',
    });
  });

  it('is refused when the MAC was made with the public key as its secret', () => {
    const secret = pair.publicKey.export({ type: 'spki', format: 'pem' });
    const header = Buffer.from(JSON.stringify({ alg: 'HS256', kid, typ: 'uar-grant+1' })).toString(
      'base64url',
    );
    const signed = `${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;
    const mac = createHmac('sha512', secret).update(signed).digest('base64url');
    expect(verifier().verify(`${signed}.${mac}`, expected).kind).toBe('refused');
  });

  it('is refused when the statement is one of another type under the right key', () => {
    const ticket = createStatementSigner({ privateKey: pair.privateKey, typ: 'uar-ticket+1' }).sign(claims);
    expect(verifier().verify(ticket, expected)).toEqual({ kind: 'refused', cause: 'bad_header' });
  });

  it('is refused with any text that is not three parts', () => {
    for (const text of [
      '',
      '..',
      'a.b.c',
      `${signer.sign(claims)}.`,
      ` ${signer.sign(claims)}`,
      'x'.repeat(100_000),
    ])
      expect(verifier().verify(text, expected)).toEqual({ kind: 'refused', cause: 'malformed' });
  });
});

describe('claims under a good signature', () => {
  const sign = (body: unknown) =>
    createStatementSigner({ privateKey: pair.privateKey, typ: 'uar-grant+1' }).sign(body);

  it('are refused with a missing or an additional member', () => {
    const members = Object.keys(claims);
    for (const name of members) {
      const rest = Object.fromEntries(Object.entries(claims).filter(([key]) => key !== name));
      expect(verifier().verify(sign(rest), expected).kind).toBe('refused');
    }
    expect(verifier().verify(sign({ ...claims, also: true }), expected)).toEqual({
      kind: 'refused',
      cause: 'bad_claims',
    });
  });

  it('cannot be signed when no verifier would take them', () => {
    expect(() => signer.sign({ ...claims, definition_digest: 'md5:1' })).toThrow();
  });
});

describe('the memory of used calls', () => {
  const callId = (index: number) => CallId.parse(`call_${index.toString(16).padStart(32, '0')}`);
  const grantOf = (index: number, expiresAt = claims.expires_at) =>
    signer.sign({ ...claims, call_id: callId(index), expires_at: expiresAt });

  it('takes a grant once', () => {
    const host = verifier();
    const grant = signer.sign(claims);
    expect(host.verify(grant, expected).kind).toBe('valid');
    expect(host.verify(grant, expected)).toEqual({ kind: 'refused', cause: 'used' });
  });

  it('takes a call id once, whatever grant names it', () => {
    const host = verifier();
    expect(host.verify(signer.sign(claims), expected).kind).toBe('valid');
    const second = signer.sign({ ...claims, issued_at: now + 1, expires_at: now + 40_000 });
    expect(host.verify(second, expected)).toEqual({ kind: 'refused', cause: 'used' });
  });

  it('spends nothing when it refuses', () => {
    const host = verifier();
    const grant = signer.sign(claims);
    expect(host.verify(grant, { ...expected, server: 'else' }).kind).toBe('refused');
    expect(host.verify(grant, expected).kind).toBe('valid');
  });

  it('refuses beyond its bound, and takes again once grants expired', () => {
    let time = now;
    const host = verifier({ now: () => time, maxRemembered: 2 });
    const ask = (index: number, expiresAt?: number) =>
      host.verify(grantOf(index, expiresAt), { ...expected, call_id: callId(index) });
    expect(ask(1).kind).toBe('valid');
    expect(ask(2).kind).toBe('valid');
    expect(ask(3)).toEqual({ kind: 'refused', cause: 'memory_full' });
    time = claims.expires_at + 1_000;
    expect(ask(3, time + 10_000).kind).toBe('valid');
  });

  it('never takes a call twice while its grant lives, in whatever order calls come', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(5), fc.nat(2_000)), { maxLength: 40 }), (steps) => {
        let time = now;
        const host = verifier({ now: () => time });
        const takenUntil = new Map<number, number>();
        for (const [index, wait] of steps) {
          time += wait;
          const taken = host.verify(grantOf(index, time + 3_000), { ...expected, call_id: callId(index) });
          const alive = (takenUntil.get(index) ?? 0) > time;
          if (alive) expect(taken).toEqual({ kind: 'refused', cause: 'used' });
          if (taken.kind === 'valid') takenUntil.set(index, time + 3_000);
        }
      }),
      { numRuns: 50 },
    );
  });
});

describe('keys of another kind', () => {
  const elliptic = generateKeyPairSync('ec', { namedCurve: 'P-256' });

  it('are refused before anything is signed or verified', () => {
    expect(() => createGrantSigner(elliptic.privateKey)).toThrow('Ed25519');
    expect(() => createGrantSigner(pair.publicKey)).toThrow('Ed25519');
    expect(() => verifier({ publicKeys: [elliptic.publicKey] })).toThrow('Ed25519');
    expect(() => verifier({ publicKeys: [pair.privateKey] })).toThrow('Ed25519');
    expect(() => verifier({ publicKeys: [] })).toThrow('public key');
  });
});
