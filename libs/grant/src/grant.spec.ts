import { createHmac, generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { CallId } from '@uar/contracts';
import { describe, expect, it } from 'vitest';
import { createGrantSigner } from './grant-signer.js';
import { claims, digest, expected, instance, now, pair, signer, verifier } from './grant.fixture.js';
import { createGrantVerifier } from './grant-verifier.js';
import { createStatementSigner } from './statement.js';
import { ed25519Signing } from './statement-keys.js';

const other = generateKeyPairSync('ed25519');

/** Any header and body under a real signature of the right key: what only a confused verifier would take. */
function signedAs(header: unknown, body: unknown): string {
  const real = createStatementSigner({ key: ed25519Signing(pair.privateKey), typ: 'x' })
    .sign(body)
    .split('.');
  return [Buffer.from(JSON.stringify(header)).toString('base64url'), real[1], real[2]].join('.');
}

describe('a grant', () => {
  it('is valid for the call it names', () => {
    expect(verifier().verify(signer.sign(claims), expected)).toEqual({ kind: 'valid', claims });
  });

  it('names its algorithm, key and type', () => {
    const header = JSON.parse(Buffer.from(signer.sign(claims).split('.')[0] ?? '', 'base64url').toString());
    expect(header).toEqual({ alg: 'EdDSA', kid: signer.keyId, typ: 'uar-grant+2' });
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
    ['no algorithm', { alg: 'none', kid, typ: 'uar-grant+2' }],
    ['another casing', { alg: 'eddsa', kid, typ: 'uar-grant+2' }],
    ['a MAC of another size', { alg: 'HS512', kid, typ: 'uar-grant+2' }],
    ['a key of its own', { alg: 'EdDSA', kid, typ: 'uar-grant+2', jwk: {} }],
    ['a key url', { alg: 'EdDSA', kid, typ: 'uar-grant+2', jku: 'https://example.com' }],
    ['another type', { alg: 'EdDSA', kid, typ: 'uar-ticket+1' }],
    ['another member order', { typ: 'uar-grant+2', alg: 'EdDSA', kid }],
  ])('is refused: %s', (_name, header) => {
    expect(verifier().verify(signedAs(header, claims), expected)).toEqual({
      kind: 'refused',
      cause: 'bad_header',
    });
  });

  it('is refused when the MAC was made with the public key as its secret', () => {
    const secret = pair.publicKey.export({ type: 'spki', format: 'pem' });
    const header = Buffer.from(JSON.stringify({ alg: 'HS256', kid, typ: 'uar-grant+2' })).toString(
      'base64url',
    );
    const signed = `${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;
    const mac = createHmac('sha256', secret).update(signed).digest('base64url');
    const refused = { kind: 'refused', cause: 'unknown_key' };
    expect(verifier().verify(`${signed}.${mac}`, expected)).toEqual(refused);
  });

  it('is refused when the statement is one of another type under the right key', () => {
    const ticket = createStatementSigner({ key: ed25519Signing(pair.privateKey), typ: 'uar-ticket+1' }).sign(
      claims,
    );
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
    createStatementSigner({ key: ed25519Signing(pair.privateKey), typ: 'uar-grant+2' }).sign(body);

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
