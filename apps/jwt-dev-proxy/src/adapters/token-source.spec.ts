import { expect, it } from 'vitest';
import { TokenSource } from './token-source.js';

it('mints a token once per half of its life', () => {
  let now = 1_794_657_600_000;
  const claims = {
    secret: 'x'.repeat(32),
    sub: 'dev',
    name: 'n',
    roles: [],
    groups: [],
    tenant: 't',
    ttlSeconds: 300,
  };
  const tokens = new TokenSource(claims, () => now);
  const first = tokens.current();
  now += 149_999;
  expect(tokens.current()).toBe(first);
  now += 1;
  expect(tokens.current()).not.toBe(first);
});
