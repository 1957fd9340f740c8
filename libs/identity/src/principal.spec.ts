import { UarConfig } from '@uar/config';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJsonObject, type JsonObject } from './claim-values.js';
import { principalOf } from './principal.js';
import { startMs } from './token.fixture.js';

const rules = { names: UarConfig.parse({}).security.claims, defaultTenant: 'default' };
const checked = { kind: 'checked', subject: 'ann', issuer: 'i', audiences: [], expiresAt: startMs } as const;

function read(claims: JsonObject, by = rules): ReturnType<typeof principalOf> {
  return principalOf(claims, checked, by);
}

function causeOf(claims: JsonObject, by = rules): string {
  const result = read(claims, by);
  return result.kind === 'invalid' ? result.cause : result.kind;
}

function parsed(text: string): JsonObject {
  const value: unknown = JSON.parse(text);
  if (!isJsonObject(value)) throw new Error('not an object');
  return value;
}

describe('the principal of verified claims', () => {
  it('takes the tenant from its claim, else the default, and refuses anything that is no tenant', () => {
    expect(read({})).toMatchObject({ principal: { tenant: 'default' } });
    expect(read({ tenant_id: 'acme' })).toMatchObject({ principal: { tenant: 'acme' } });
    for (const tenant_id of [null, '', 'a/b', '../x', 7, ['acme'], 'a\nb', 'x'.repeat(65)])
      expect(causeOf({ tenant_id })).toBe('tenant_refused');
    expect(causeOf({}, { names: rules.names, defaultTenant: '' })).toBe('tenant_refused');
  });

  it('refuses roles and groups that are not lists of printable texts', () => {
    for (const value of [
      'admin',
      {},
      [1],
      [null],
      [['admin']],
      ['a\nb'],
      [''],
      ['x'.repeat(257)],
      Array(257).fill('r'),
    ]) {
      expect(causeOf({ roles: value })).toBe('roles_refused');
      expect(causeOf({ groups: value })).toBe('groups_refused');
    }
  });

  it('reads the acting agent, and refuses an act claim of another shape', () => {
    expect(read({ act: { sub: 'a1', act: { sub: 'a0' } } })).toMatchObject({ principal: { agent_id: 'a1' } });
    for (const act of ['a1', null, { sub: 7 }, { sub: '' }, { sub: 'a\nb' }])
      expect(causeOf({ act })).toBe('agent_refused');
    const without = read({ act: {} });
    expect(without.kind === 'principal' && 'agent_id' in without.principal).toBe(false);
  });

  it('reads scopes from scope or scp, and refuses empty or foreign shapes', () => {
    expect(read({ scope: 'a b' })).toMatchObject({ principal: { scopes: ['a', 'b'] } });
    expect(read({ scp: 'a b' })).toMatchObject({ principal: { scopes: ['a', 'b'] } });
    expect(read({ scp: ['a', 'b'] })).toMatchObject({ principal: { scopes: ['a', 'b'] } });
    expect(read({})).toMatchObject({ principal: { scopes: [] } });
    for (const claim of ['', ' ', [], {}, 1, [1], null, true, 'a\tb', 'a "b"', 'é', ['a b'], ['a', ['b']]]) {
      expect([claim, causeOf({ scope: claim })]).toEqual([claim, 'scopes_refused']);
      expect([claim, causeOf({ scp: claim })]).toEqual([claim, 'scopes_refused']);
    }
  });

  it('takes no scope twice, and no token that says two things of its scopes', () => {
    for (const claim of ['a b a', ['a', 'a']]) expect(causeOf({ scope: claim })).toBe('scopes_refused');
    expect(read({ scope: 'a b', scp: ['b', 'a'] })).toMatchObject({ principal: { scopes: ['a', 'b'] } });
    for (const scp of ['a', 'a b c', 'a c', null, 1, {}])
      expect([scp, causeOf({ scope: 'a b', scp })]).toEqual([scp, 'scopes_refused']);
    expect(causeOf({ scope: null, scp: 'a' })).toBe('scopes_refused');
  });

  it('narrows capabilities and never gives one for an unknown word', () => {
    expect(read({ capabilities: [] })).toMatchObject({ principal: { capabilities: [] } });
    expect(read({ capabilities: ['root'] })).toMatchObject({ principal: { capabilities: [] } });
    expect(causeOf({ capabilities: 'read' })).toBe('capabilities_refused');
    const whole = read({});
    expect(whole.kind === 'principal' && whole.principal.capabilities).toBe(undefined);
  });

  it('sees a second factor only in a list that names one', () => {
    for (const method of ['mfa', 'otp', 'hwk'])
      expect(read({ amr: ['pwd', method] })).toMatchObject({ principal: { mfa: true } });
    for (const amr of [['pwd'], 'mfa', true, { mfa: 1 }, [], undefined])
      expect(read({ amr })).toMatchObject({ principal: { mfa: false } });
  });

  it('keeps names like __proto__ without effect', () => {
    const claims = parsed(
      '{"__proto__":{"roles":["admin"],"tenant_id":"evil"},"constructor":"x","prototype":"y"}',
    );
    expect(read(claims)).toMatchObject({ principal: { roles: [], tenant: 'default', claims: {} } });
    const named = { ...rules, names: { ...rules.names, roles: 'constructor.name', groups: '__proto__' } };
    expect(read({}, named)).toMatchObject({ principal: { roles: [], groups: [] } });
  });

  it('finds configured names as they are written before it walks their dots', () => {
    const names = { ...rules.names, tenant: 'https://acme.example/tenant', roles: 'realm_access.roles' };
    const claims = { 'https://acme.example/tenant': 'acme', realm_access: { roles: ['user'] } };
    expect(read(claims, { ...rules, names })).toMatchObject({
      principal: { tenant: 'acme', roles: ['user'] },
    });
    expect(causeOf({ realm_access: 'x' }, { ...rules, names })).toBe('roles_refused');
  });

  it('keeps at most 32 further string claims of at most 1 KB, and no registered one', () => {
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`c${String(n)}`, 'v']));
    const result = read({ ...many, jti: 'x', scope: 'a' });
    expect(result.kind === 'principal' && Object.keys(result.principal.claims)).toHaveLength(32);
    const odd = { long: 'x'.repeat(1025), fits: 'x'.repeat(1024), lines: 'a\nb', half: '\ud800', number: 7 };
    expect(read(odd)).toMatchObject({ principal: { claims: { fits: odd.fits } } });
    const kept = read(odd);
    expect(kept.kind === 'principal' && Object.keys(kept.principal.claims)).toEqual(['fits']);
  });

  it('gives a principal or a cause for any claims, and roles only from the roles claim', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (claims) => {
        const result = read(claims);
        if (result.kind !== 'principal') return;
        const roles = Object.hasOwn(claims, 'roles') ? claims['roles'] : [];
        expect(result.principal.roles).toEqual(roles);
        expect(result.principal.subject).toBe('ann');
      }),
      { numRuns: 300 },
    );
  });
});
