import { describe, expect, it } from 'vitest';
import { createTokenVerifier } from './token-verifier.js';
import {
  audience,
  goodClaims,
  issuer,
  part,
  secret,
  secretOptions,
  signedWithSecret,
  startMs,
  startSeconds,
} from './token.fixture.js';

const verifier = createTokenVerifier(secretOptions());

async function causeOf(token: string, on = verifier): Promise<string> {
  const result = await on.verify(token);
  return result.kind === 'invalid' ? result.cause : result.kind;
}

function claimsWith(changes: Record<string, unknown>): Record<string, unknown> {
  return { ...goodClaims, ...changes };
}

describe('a verifier with a secret', () => {
  it('verifies a token and reads its principal', async () => {
    const token = signedWithSecret(
      claimsWith({
        roles: ['admin'],
        groups: ['ops'],
        act: { sub: 'agent-7' },
        scope: 'tools:read tools:call',
        amr: ['pwd', 'otp'],
        capabilities: ['read', 'fly'],
        department: 'finance',
      }),
    );
    expect(await verifier.verify(token)).toEqual({
      kind: 'verified',
      token_expires_at: startMs + 600_000,
      principal: {
        issuer,
        subject: 'ann',
        tenant: 'acme',
        kind: 'user',
        roles: ['admin'],
        groups: ['ops'],
        agent_id: 'agent-7',
        scopes: ['tools:read', 'tools:call'],
        capabilities: ['read'],
        mfa: true,
        claims: { department: 'finance' },
        expires_at: startMs + 600_000,
      },
    });
  });

  it('takes the value of an Authorization header as well', async () => {
    const token = signedWithSecret(goodClaims);
    expect(await causeOf(`Bearer ${token}`)).toBe('verified');
    expect(await causeOf(`bEARER ${token}`)).toBe('verified');
    expect(await causeOf(`Bearer  ${token}`)).toBe('malformed');
    expect(await causeOf(`Basic ${token}`)).toBe('malformed');
  });

  it('refuses every spelling of alg none and every algorithm that is not HS256', async () => {
    for (const alg of ['none', 'None', 'NONE', 'nOnE', 'hs256', 'HS512', 'RS256', '', null, ['HS256'], 1]) {
      expect(await causeOf(signedWithSecret(goodClaims, { alg }))).toBe('algorithm_refused');
    }
    expect(await causeOf(`${part({ alg: 'none' })}.${part(goodClaims)}.`)).toBe('malformed');
    expect(await causeOf(signedWithSecret(goodClaims, {}))).toBe('algorithm_refused');
  });

  it('refuses a wrong key, a changed claim and a cut signature', async () => {
    const token = signedWithSecret(goodClaims);
    const [header = '', , signature = ''] = token.split('.');
    expect(await causeOf(signedWithSecret(goodClaims, { alg: 'HS256' }, `${secret}x`))).toBe(
      'signature_wrong',
    );
    expect(await causeOf(`${header}.${part(claimsWith({ sub: 'bob' }))}.${signature}`)).toBe(
      'signature_wrong',
    );
    expect(await causeOf(token.slice(0, -3))).toBe('signature_wrong');
  });

  it('refuses headers that bring keys, extensions or another purpose', async () => {
    for (const name of ['jku', 'x5u', 'jwk', 'x5c', 'crit', 'b64']) {
      expect(await causeOf(signedWithSecret(goodClaims, { alg: 'HS256', [name]: [] }))).toBe(
        'header_refused',
      );
    }
    expect(await causeOf(signedWithSecret(goodClaims, { alg: 'HS256', typ: 'uar-grant+1' }))).toBe(
      'header_refused',
    );
    expect(await causeOf(signedWithSecret(goodClaims, { alg: 'HS256', kid: { a: 1 } }))).toBe(
      'header_refused',
    );
    expect(await causeOf(signedWithSecret(goodClaims, { alg: 'HS256', typ: 'at+JWT' }))).toBe('verified');
  });

  it('refuses duplicate members, also when they are spelled with escapes or nested', async () => {
    const exp = startSeconds + 600;
    const rest = `"tenant_id":"acme","exp":${String(exp)}}`;
    const twice = [
      `{"sub":"ann","sub":"root",${rest}`,
      `{"sub":"ann","\\u0073ub":"root",${rest}`,
      `{"sub":"ann","act":{"sub":"a","sub":"b"},${rest}`,
    ];
    for (const text of twice) expect(await causeOf(signedWithSecret(text))).toBe('duplicate_member');
    expect(await causeOf(signedWithSecret(goodClaims, '{"alg":"HS256","alg":"HS256"}'))).toBe(
      'duplicate_member',
    );
  });

  it('refuses texts that are no compact token', async () => {
    const token = signedWithSecret(goodClaims);
    const [header = '', claims = '', signature = ''] = token.split('.');
    const texts = [
      '',
      'a.b',
      `${token}.`,
      ` ${token}`,
      `${token} `,
      `${token}\n`,
      `${header}.${claims}.${signature}=`,
      `${header}.${claims}`,
      `${token}.${token}`,
      signedWithSecret('[]'),
      signedWithSecret('{"sub":"ann"'),
      signedWithSecret('"ann"'),
      signedWithSecret(`\ufeff${JSON.stringify(goodClaims)}`),
      signedWithSecret('['.repeat(4000)),
    ];
    for (const text of texts) expect(await causeOf(text)).toBe('malformed');
    const latin = Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]).toString('base64url');
    expect(await causeOf(`${header}.${latin}.${signature}`)).toBe('malformed');
  });

  it('refuses a second spelling of the same signature bytes', async () => {
    const token = signedWithSecret(goodClaims);
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const last = alphabet.indexOf(token.slice(-1));
    const twin = token.slice(0, -1) + (alphabet[last ^ 1] ?? '');
    expect(Buffer.from(twin.split('.')[2] ?? '', 'base64url')).toEqual(
      Buffer.from(token.split('.')[2] ?? '', 'base64url'),
    );
    expect(await causeOf(twin)).toBe('malformed');
  });

  it('refuses tokens of more than 8 KB without reading them', async () => {
    const pad = (length: number): string => signedWithSecret(claimsWith({ pad: 'x'.repeat(length) }));
    expect(await causeOf(pad(5_800))).toBe('verified');
    expect(await causeOf(pad(6_200))).toBe('too_large');
    expect(await causeOf('x'.repeat(1_000_000))).toBe('too_large');
  });

  it('refuses subjects that are no printable text', async () => {
    const subjects = [
      undefined,
      null,
      '',
      '  ',
      7,
      {},
      ['ann'],
      'a\nb',
      'a\u0000b',
      'a\u2028b',
      'a\u202eb',
      'a\u200bb',
      '\ud800',
      'x'.repeat(257),
    ];
    for (const sub of subjects)
      expect(await causeOf(signedWithSecret(claimsWith({ sub })))).toBe('subject_refused');
    for (const sub of ['x'.repeat(256), 'Ænn Ö. Müller', '李雷', 'auth0|5f7c8ec7']) {
      expect(await causeOf(signedWithSecret(claimsWith({ sub })))).toBe('verified');
    }
  });

  it('needs exp, takes whole seconds only and allows 30 s of skew', async () => {
    const cases: readonly [Record<string, unknown>, string][] = [
      [{ exp: undefined }, 'time_refused'],
      [{ exp: String(startSeconds + 600) }, 'time_refused'],
      [{ exp: startSeconds + 0.5 }, 'time_refused'],
      [{ exp: -1 }, 'time_refused'],
      [{ exp: 1e300 }, 'time_refused'],
      [{ exp: null }, 'time_refused'],
      [{ exp: startSeconds - 29 }, 'verified'],
      [{ exp: startSeconds - 30 }, 'expired'],
      [{ nbf: startSeconds + 30 }, 'verified'],
      [{ nbf: startSeconds + 31 }, 'not_yet_valid'],
      [{ nbf: '0' }, 'time_refused'],
      [{ iat: startSeconds + 31 }, 'not_yet_valid'],
      [{ iat: startSeconds - 3600 }, 'verified'],
      [{ iat: 1.5 }, 'time_refused'],
    ];
    for (const [change, cause] of cases)
      expect(await causeOf(signedWithSecret(claimsWith(change)))).toBe(cause);
  });

  it('checks issuer and audience where they are configured, byte for byte', async () => {
    const strict = createTokenVerifier(secretOptions({ jwt_issuer: issuer, jwt_audience: [audience, 'b'] }));
    const cases: readonly [Record<string, unknown>, string][] = [
      [{}, 'verified'],
      [{ iss: `${issuer}/` }, 'issuer_refused'],
      [{ iss: issuer.toUpperCase() }, 'issuer_refused'],
      [{ iss: undefined }, 'issuer_refused'],
      [{ iss: [issuer] }, 'issuer_refused'],
      [{ aud: 'b' }, 'verified'],
      [{ aud: ['other', 'b'] }, 'verified'],
      [{ aud: 'other' }, 'audience_refused'],
      [{ aud: `${audience}/` }, 'audience_refused'],
      [{ aud: [] }, 'audience_refused'],
      [{ aud: { a: audience } }, 'audience_refused'],
      [{ aud: [audience, 1] }, 'audience_refused'],
      [{ aud: undefined }, 'audience_refused'],
    ];
    for (const [change, cause] of cases)
      expect(await causeOf(signedWithSecret(claimsWith(change)), strict)).toBe(cause);
  });

  it('refuses development tokens in server-full', async () => {
    const full = createTokenVerifier(secretOptions({ allow_shared_secret: true }, 'server-full'));
    expect(await causeOf(signedWithSecret(goodClaims), full)).toBe('verified');
    for (const dev of [true, 'true', 1, null])
      expect(await causeOf(signedWithSecret(claimsWith({ dev })), full)).toBe('development_token');
    expect(await causeOf(signedWithSecret(claimsWith({ dev: true })))).toBe('verified');
  });
});

describe('configuration', () => {
  it('refuses no mode, two modes, and jwks without issuer or audience', () => {
    const url = 'http://127.0.0.1:1/keys';
    expect(() => createTokenVerifier(secretOptions({ jwt_secret: undefined }))).toThrow('needs jwt_secret');
    expect(() => createTokenVerifier(secretOptions({ jwks_url: url }))).toThrow('exclude each other');
    expect(() => createTokenVerifier(secretOptions({ jwt_secret: undefined, jwks_url: url }))).toThrow(
      'jwt_issuer',
    );
  });
});
