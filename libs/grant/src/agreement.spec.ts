import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { CallId, type GrantClaims } from '@uar/contracts';
import { describe, expect, it } from 'vitest';
import { keyLifeMs, newKeyHalf, offerType } from './agreed-key.js';
import { createGrantSigner } from './grant-signer.js';
import { createGrantVerifier, type GrantVerifier } from './grant-verifier.js';
import { claims, expected, instance, now, pair, verifier } from './grant.fixture.js';
import { createStatementSigner } from './statement.js';
import { ed25519Signing } from './statement-keys.js';

const algorithmOf = (grant: string): unknown =>
  JSON.parse(Buffer.from(grant.split('.')[0] ?? '', 'base64url').toString()).alg;
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A decider whose offers go to this host; its clock is in the hand of the test. */
function deciderOf(host: Pick<GrantVerifier, 'agree'> | undefined) {
  const clock = { now };
  const offers: string[] = [];
  const signer = createGrantSigner(pair.privateKey, {
    now: () => clock.now,
    offer: (_host, offer) => {
      offers.push(offer);
      const answer = host?.agree(offer);
      return Promise.resolve(answer?.kind === 'agreed' ? answer.public_key : undefined);
    },
  });
  let calls = 0;
  const next = (change: Partial<GrantClaims> = {}) => {
    calls += 1;
    const call_id = CallId.parse(`call_${calls.toString(16).padStart(32, '0')}`);
    const of = { ...claims, call_id, issued_at: clock.now, expires_at: clock.now + 30_000, ...change };
    return { grant: signer.sign(of), expected: { ...expected, call_id } };
  };
  return { clock, offers, next };
}

async function agreedWith(host: GrantVerifier) {
  const decider = deciderOf(host);
  decider.next();
  await settled();
  return decider;
}

function offerOf(change: object = {}, privateKey = pair.privateKey, typ = offerType): string {
  const offered = { host: 'mcp', instance, public_key: newKeyHalf().publicKey };
  const times = { issued_at: now, expires_at: now + keyLifeMs };
  return createStatementSigner({ key: ed25519Signing(privateKey), typ }).sign({
    ...{ ...offered, ...times },
    ...change,
  });
}

describe('a key that decider and host agree on', () => {
  it('stands under the grants that follow the first, which is signed', async () => {
    const host = verifier();
    const decider = deciderOf(host);
    const first = decider.next();
    await settled();
    const second = decider.next();
    expect([algorithmOf(first.grant), algorithmOf(second.grant)]).toEqual(['EdDSA', 'HS256']);
    for (const { grant, expected: about } of [first, second]) {
      expect(host.verify(grant, about).kind).toBe('valid');
      expect(host.verify(grant, about)).toEqual({ kind: 'refused', cause: 'used' });
    }
    expect(decider.offers).toHaveLength(1);
  });

  it('is known to that host alone', async () => {
    const { next } = await agreedWith(verifier());
    const { grant, expected: about } = next();
    expect(verifier().verify(grant, about)).toEqual({ kind: 'refused', cause: 'unknown_key' });
  });

  it('is another one where somebody else answered in the place of the host', async () => {
    const host = verifier();
    const thief = createGrantVerifier({
      publicKeys: [pair.publicKey],
      host: 'mcp',
      instance,
      now: () => now,
    });
    const decider = deciderOf({
      agree: (offer) => {
        host.agree(offer);
        return thief.agree(offer);
      },
    });
    decider.next();
    await settled();
    const { grant, expected: about } = decider.next();
    expect(algorithmOf(grant)).toBe('HS256');
    expect(host.verify(grant, about)).toEqual({ kind: 'refused', cause: 'unknown_key' });
  });

  it('takes no grant of which any byte changed', async () => {
    const host = verifier();
    const { next } = await agreedWith(host);
    const { grant, expected: about } = next();
    fc.assert(
      fc.property(fc.nat(grant.length - 1), fc.string({ minLength: 1, maxLength: 1 }), (at, char) => {
        fc.pre(grant[at] !== char);
        const changed = grant.slice(0, at) + char + grant.slice(at + 1);
        expect(host.verify(changed, about).kind).toBe('refused');
      }),
      { numRuns: 600 },
    );
    expect(host.verify(grant, about).kind).toBe('valid');
  });

  it('is made anew in time, and ends for both', async () => {
    const time = { now };
    const host = verifier({ now: () => time.now });
    const { clock, next, offers } = await agreedWith(host);
    const at = (ms: number) => (time.now = clock.now = now + ms);
    at(keyLifeMs / 2 - 1);
    const old = next({ expires_at: now + keyLifeMs - 1 });
    at(keyLifeMs / 2);
    const last = next();
    await settled();
    expect(offers).toHaveLength(2);
    expect(next().grant.split('.')[0]).not.toBe(last.grant.split('.')[0]);
    expect(host.verify(last.grant, last.expected).kind).toBe('valid');
    at(keyLifeMs);
    expect(host.verify(old.grant, old.expected)).toEqual({ kind: 'refused', cause: 'unknown_key' });
  });

  it('signs what would outlive the key', async () => {
    const { next } = await agreedWith(verifier());
    expect(algorithmOf(next({ expires_at: now + keyLifeMs }).grant)).toBe('EdDSA');
    expect(algorithmOf(next({ expires_at: now + keyLifeMs - 1 }).grant)).toBe('HS256');
  });

  it('is not asked for again at once where a host does not answer', async () => {
    const { next, offers, clock } = deciderOf(undefined);
    for (let each = 0; each < 3; each += 1) {
      expect(algorithmOf(next().grant)).toBe('EdDSA');
      await settled();
    }
    expect(offers).toHaveLength(1);
    clock.now += 30_000;
    next();
    expect(offers).toHaveLength(2);
  });

  it.each(['', Buffer.alloc(32).toString('base64url')])('is not made of the half %j', async (answer) => {
    const offer = () => Promise.resolve(answer);
    const signer = createGrantSigner(pair.privateKey, { offer, now: () => now });
    signer.sign(claims);
    await settled();
    expect(algorithmOf(signer.sign(claims))).toBe('EdDSA');
  });
});

describe('an offer', () => {
  it.each([
    ['of another signer', offerOf({}, generateKeyPairSync('ed25519').privateKey), 'unknown_key'],
    ['that is a statement of another type', offerOf({}, pair.privateKey, 'uar-grant+2'), 'bad_header'],
    ['for another host', offerOf({ host: 'native' }), 'wrong_host'],
    ['for another instance', offerOf({ instance: 'fedcba9876543210' }), 'wrong_instance'],
    ['from the future', offerOf({ issued_at: now + 5_001 }), 'not_yet_valid'],
    ['that has expired', offerOf({ expires_at: now }), 'expired'],
    ['for longer than keys live', offerOf({ expires_at: now + keyLifeMs + 5_001 }), 'too_long'],
    ['with a member too many', offerOf({ also: true }), 'bad_claims'],
    ['of a half that is none', offerOf({ public_key: Buffer.alloc(32).toString('base64url') }), 'bad_key'],
    ['that is no statement', 'x', 'malformed'],
  ])('is refused %s', (_name, offer, cause) => {
    expect(verifier().agree(offer)).toEqual({ kind: 'refused', cause });
  });

  it('is no grant, and a grant is no offer', () => {
    const host = verifier();
    const refused = { kind: 'refused', cause: 'bad_header' };
    expect(host.verify(offerOf(), expected)).toEqual(refused);
    expect(host.agree(createGrantSigner(pair.privateKey).sign(claims))).toEqual(refused);
  });

  it('that is sent again takes nothing from what was agreed', async () => {
    const host = verifier();
    const { next, offers } = await agreedWith(host);
    host.agree(offers[0] ?? '');
    const { grant, expected: about } = next();
    expect(host.verify(grant, about).kind).toBe('valid');
  });

  it('is refused by a host that remembers a hundred keys', () => {
    const host = verifier();
    const offer = offerOf();
    const answers = Array.from({ length: 100 }, () => host.agree(offer).kind);
    expect(answers.filter((kind) => kind === 'agreed')).toHaveLength(99);
    expect(host.agree(offer)).toEqual({ kind: 'refused', cause: 'memory_full' });
  });
});
