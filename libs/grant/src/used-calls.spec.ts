import { CallId } from '@uar/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { claims, expected, now, signer, verifier } from './grant.fixture.js';

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
