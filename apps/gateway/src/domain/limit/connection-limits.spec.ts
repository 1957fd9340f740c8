import { EpochMs, TenantId, type Principal } from '@uar/contracts';
import { beforeEach, describe, expect, it } from 'vitest';
import { ConnectionLimits } from './connection-limits.js';

describe('how often accounts are connected', () => {
  let now: number;
  let limits: ConnectionLimits;
  beforeEach(() => {
    now = 5;
    limits = new ConnectionLimits(() => now);
  });
  const principal = (subject: string, tenant = 'default'): Principal => ({
    ...{ issuer: 'i', subject, tenant: TenantId.parse(tenant), kind: 'user', mfa: false, claims: {} },
    ...{ roles: [], groups: [], scopes: [], expires_at: EpochMs.parse(1_000) },
  });
  const passed = (count: number, ask: (n: number) => number): number =>
    Array.from({ length: count }, (_, n) => ask(n)).filter((waitMs) => waitMs === 0).length;

  it('is 60 times a minute for one principal, who is told when the next one fits', () => {
    const ada = principal('ada');
    expect(passed(100, () => limits.begin(ada))).toBe(60);
    expect(limits.begin(ada)).toBe(1_000);
    now += 999;
    expect(limits.begin(ada)).toBe(1);
    now += 1;
    expect([limits.begin(ada), limits.begin(ada)]).toEqual([0, 1_000]);
    expect(limits.begin(principal('bob'))).toBe(0);
  });

  it('is 300 times at once for a tenant, and holds up no other one', () => {
    expect(passed(400, (n) => limits.begin(principal(`p${n}`)))).toBe(300);
    expect(limits.begin(principal('ada'))).toBe(100);
    expect(limits.begin(principal('ada', 'other'))).toBe(0);
  });

  it('is 60 times a minute for browsers of one network, and 300 times at once for all', () => {
    expect(passed(100, () => limits.comeBack('192.0.2.1'))).toBe(60);
    expect(passed(100, () => limits.comeBack())).toBe(60);
    expect(passed(400, (n) => limits.comeBack(`network ${n}`))).toBe(180);
    expect(limits.begin(principal('ada'))).toBe(0);
  });

  it('takes nothing from what all share when it refuses one', () => {
    passed(60, () => limits.comeBack('one'));
    passed(10_000, () => limits.comeBack('one'));
    expect(passed(400, (n) => limits.comeBack(`network ${n}`))).toBe(240);
  });
});
