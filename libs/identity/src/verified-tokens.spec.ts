import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTokenVerifier } from './token-verifier.js';
import {
  audience,
  goodClaims,
  secret,
  secretOptions,
  signedWithSecret,
  startMs,
  startSeconds,
} from './token.fixture.js';

const verifier = createTokenVerifier(secretOptions());

function claimsWith(changes: Record<string, unknown>): Record<string, unknown> {
  return { ...goodClaims, ...changes };
}

describe('the cache of verified tokens', () => {
  it('answers synchronously until 60 s or exp, whichever is first', async () => {
    let now = startMs;
    const timed = createTokenVerifier({ ...secretOptions(), now: () => now });
    const long = signedWithSecret(goodClaims);
    const short = signedWithSecret(claimsWith({ exp: startSeconds + 20 }));
    expect(timed.cached(long)).toBeUndefined();
    await timed.verify(long);
    await timed.verify(short);
    now = startMs + 19_999;
    expect(timed.cached(long)?.subject).toBe('ann');
    expect(timed.cached(`Bearer ${short}`)?.subject).toBe('ann');
    now = startMs + 20_000;
    expect(timed.cached(short)).toBeUndefined();
    now = startMs + 60_000;
    expect(timed.cached(long)).toBeUndefined();
  });

  it('keeps no refused token and none that lives on skew alone', async () => {
    const wrong = signedWithSecret(goodClaims, { alg: 'HS256' }, `${secret}x`);
    const late = signedWithSecret(claimsWith({ exp: startSeconds - 5 }));
    await verifier.verify(wrong);
    expect((await verifier.verify(late)).kind).toBe('verified');
    expect(verifier.cached(wrong)).toBeUndefined();
    expect(verifier.cached(late)).toBeUndefined();
  });

  it('gives a token for one endpoint to that endpoint only', async () => {
    const strict = createTokenVerifier(secretOptions({ jwt_audience: audience }));
    const token = signedWithSecret(claimsWith({ aud: 'https://uar.example/mcp/uar' }));
    expect((await strict.verify(token)).kind).toBe('invalid');
    expect((await strict.verify(token, { audience: 'https://uar.example/mcp/uar' })).kind).toBe('verified');
    expect(strict.cached(token)).toBeUndefined();
    expect(strict.cached(token, { audience: 'https://uar.example/mcp/memory' })).toBeUndefined();
    expect(strict.cached(token, { audience: 'https://uar.example/mcp/uar' })?.subject).toBe('ann');
  });
});

describe('laws', () => {
  it('never verifies a token that differs in one character, and never throws', async () => {
    const token = signedWithSecret(goodClaims);
    const character = fc.constantFrom(...'ABCXYZabcxyz0189-_.= \n\u0000é');
    await fc.assert(
      fc.asyncProperty(fc.nat(token.length - 1), character, async (at, other) => {
        fc.pre(token[at] !== other);
        const result = await verifier.verify(token.slice(0, at) + other + token.slice(at + 1));
        expect(result.kind).toBe('invalid');
      }),
      { numRuns: 500 },
    );
  });

  it('answers any signed JSON with a value', async () => {
    await fc.assert(
      fc.asyncProperty(fc.json(), fc.json(), async (header, claims) => {
        expect((await verifier.verify(signedWithSecret(claims, header))).kind).toBe('invalid');
        const result = await verifier.verify(signedWithSecret(claims));
        expect(['invalid', 'verified']).toContain(result.kind);
      }),
    );
  });
});
