import { generateKeyPairSync } from 'node:crypto';
import { createSeal } from '@uar/keys';
import { openLedger, type Ledger } from '@uar/ledger';
import type { Log } from '@uar/telemetry';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { draft } from '../contract-spec/samples.fixture.js';
import { alone } from '../domain/leadership/leadership.js';
import { PurgeTimer } from './purge-timer.js';

const { tenant } = draft().requester;
const now = 1_000_000;
let ledger: Ledger;
let said: string[];
const says = (...words: unknown[]): void => void said.push(String(words.at(-1)));
const log: Pick<Log, 'info' | 'warn'> = { info: says, warn: says };

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  said = [];
  const { privateKey } = generateKeyPairSync('ed25519');
  ledger = await openLedger({ file: ':memory:', seal: createSeal('s'.repeat(32)), signingKey: privateKey });
});
afterEach(async () => {
  vi.useRealTimers();
  await ledger.close();
});

async function claim(count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    const call_id = draft().call_id;
    const owner = { tenant, principal: 'User::"acme/ann"', key: `key-${n}` };
    await ledger.claimKey({
      ...owner,
      request_digest: draft().arguments_digest,
      call_id,
      expires_at: now,
      now: 1,
    });
  }
}

it('goes on until nothing is left that has expired, within a second and not in a minute', async () => {
  await claim(2_600);
  const timer = new PurgeTimer({ ledger, leadership: alone, log, clock: { now: () => now } });
  timer.start();
  await vi.advanceTimersByTimeAsync(5_400);
  await timer.stop();
  expect(await ledger.purgeExpired({ now })).toBe(0);
  expect(said).toEqual([]);
});

it('waits a minute where little has expired, and begins nothing once it was stopped', async () => {
  const asked: number[] = [];
  let time = 0;
  const counting: Pick<Ledger, 'purgeExpired'> = {
    purgeExpired: (ask) => {
      asked.push(ask.now);
      return ledger.purgeExpired(ask);
    },
  };
  const timer = new PurgeTimer({
    ledger: counting,
    leadership: alone,
    log,
    clock: { now: () => (time += 1) },
  });
  timer.start();
  await vi.advanceTimersByTimeAsync(64_999);
  expect(asked).toEqual([1]);
  await vi.advanceTimersByTimeAsync(1);
  expect(asked).toEqual([1, 2]);
  await timer.stop();
  await vi.advanceTimersByTimeAsync(600_000);
  expect(asked).toEqual([1, 2]);
});

it('says once that the ledger cannot, and once that it can again', async () => {
  let isClosed = true;
  const failing: Pick<Ledger, 'purgeExpired'> = {
    purgeExpired: (ask) => (isClosed ? Promise.reject(new Error('read only')) : ledger.purgeExpired(ask)),
  };
  const timer = new PurgeTimer({ ledger: failing, leadership: alone, log, clock: { now: () => now } });
  timer.start();
  await vi.advanceTimersByTimeAsync(300_000);
  expect(said).toEqual(['what expired could not be forgotten; trying again every minute']);
  isClosed = false;
  await vi.advanceTimersByTimeAsync(300_000);
  expect(said.slice(1)).toEqual(['what expired is forgotten again']);
  await timer.stop();
});

it('leaves it to the replica that leads, and goes on once it is this one', async () => {
  await claim(1);
  let leads = false;
  const timer = new PurgeTimer({
    ledger,
    leadership: { leads: () => leads },
    log,
    clock: { now: () => now },
  });
  timer.start();
  await vi.advanceTimersByTimeAsync(64_000);
  leads = true;
  await vi.advanceTimersByTimeAsync(900);
  const held = await ledger.claimKey({
    ...{ tenant, principal: 'User::"acme/ann"', key: 'key-0', request_digest: draft().arguments_digest },
    ...{ call_id: draft().call_id, expires_at: now, now: 1 },
  });
  expect(held.kind).not.toBe('claimed');
  await vi.advanceTimersByTimeAsync(200);
  await timer.stop();
  expect(await ledger.purgeExpired({ now })).toBe(0);
});
