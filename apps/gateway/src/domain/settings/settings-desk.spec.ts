import { Principal, TenantId, type TenantSettings } from '@uar/contracts';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { nativeToolsDocument, notAvailableOf, storedPartOf, tenantDocument } from './documents.js';
import { SettingsDesk, type Place, type SettingsDocument, type SettingsStore } from './settings-desk.js';
import { hasDrifted, inForce, nothingStored, withChange } from './stored.js';

const acme = TenantId.parse('acme');
const principal = Principal.parse({
  ...{ issuer: 'i', subject: 'ada', tenant: 'acme', kind: 'user', roles: [], groups: [], scopes: [] },
  ...{ mfa: false, claims: {}, expires_at: 1 },
});

class MemoryStore implements SettingsStore {
  kept: { readonly revision: number; readonly value: unknown } | undefined;
  readonly places: Place[] = [];
  readonly actions: string[] = [];
  isAway = false;
  /** Writes of others that come in between, as many as there are. */
  rivals: unknown[] = [];

  async read(place: Place, stored: SettingsDocument['stored']): ReturnType<SettingsStore['read']> {
    this.places.push(place);
    if (this.isAway) return { kind: 'unavailable' };
    if (this.kept === undefined) return { kind: 'absent' };
    const { revision } = this.kept;
    const { data: value } = stored.safeParse(this.kept.value);
    return value === undefined ? { kind: 'unreadable', revision } : { kind: 'kept', revision, value };
  }

  async write(
    _: Place,
    { revision, value }: { revision: number; value: unknown },
    { action }: { action: string },
  ) {
    if (this.rivals.length > 0) this.kept = { revision: revision + 1, value: this.rivals.pop() };
    if ((this.kept?.revision ?? 0) !== revision) return 'conflict' as const;
    this.kept = { revision: revision + 1, value };
    this.actions.push(action);
    return 'written' as const;
  }
}

describe('settings written by API', () => {
  let file: TenantSettings;
  let store: MemoryStore;
  let desk: SettingsDesk;
  const document = tenantDocument(() => file);
  const read = () => desk.read(document, principal);
  const change = (members: object) => desk.change(document, principal, { ...members });

  beforeEach(() => {
    file = {
      ...{ kill_switch: false, max_unattended_risk: 1 },
      ...{ approval_needs_mfa: false, approval_needs_interactive: false },
      suspended: { users: [], agents: [] },
    };
    store = new MemoryStore();
    desk = new SettingsDesk(store);
  });

  it('are those of the file until a member is set, and keep what is not named', async () => {
    expect(await read()).toEqual({ kind: 'shown', settings: { ...file, drift: false } });
    expect(await change({ kill_switch: true })).toMatchObject({ settings: { kill_switch: true } });
    expect(await change({ max_unattended_risk: 0 })).toMatchObject({
      settings: { kill_switch: true, max_unattended_risk: 0, approval_needs_mfa: false, drift: false },
    });
    expect(store.places.every(({ tenant, namespace }) => tenant === acme && namespace === 'tenant')).toBe(
      true,
    );
  });

  it('give a member back to the file with null', async () => {
    await change({ max_unattended_risk: 0 });
    file = { ...file, max_unattended_risk: 3 };
    expect(await change({ max_unattended_risk: null })).toMatchObject({
      settings: { max_unattended_risk: 3, drift: false },
    });
  });

  it('set one list of the suspended without touching the other', async () => {
    await change({ suspended: { users: ['uma'] } });
    expect(await change({ suspended: { agents: ['coder'], users: undefined } })).toMatchObject({
      settings: { suspended: { users: ['uma'], agents: ['coder'] } },
    });
  });

  it('win over a file that was edited since, and say so until they are set anew', async () => {
    await change({ max_unattended_risk: 0 });
    file = { ...file, max_unattended_risk: 3, kill_switch: true };
    expect(await read()).toMatchObject({
      settings: { max_unattended_risk: 0, kill_switch: true, drift: true },
    });
    expect(await change({ max_unattended_risk: 0 })).toMatchObject({ settings: { drift: false } });
  });

  it('show no drift for a file edit to what the API never set', async () => {
    await change({ kill_switch: true });
    file = { ...file, max_unattended_risk: 3 };
    expect(await read()).toMatchObject({ settings: { max_unattended_risk: 3, drift: false } });
  });

  it('survive one writer in between, with what that one wrote', async () => {
    store.rivals = [{ set: { approval_needs_mfa: true }, file: { approval_needs_mfa: false } }];
    expect(await change({ kill_switch: true })).toMatchObject({
      settings: { kill_switch: true, approval_needs_mfa: true },
    });
  });

  it('are refused as a conflict when others keep writing, and nothing of theirs is lost', async () => {
    const theirs = { set: { approval_needs_mfa: true }, file: {} };
    store.rivals = [theirs, theirs];
    expect(await change({ kill_switch: true })).toEqual({ kind: 'conflict' });
    expect(store.kept?.value).toEqual(theirs);
    expect(store.actions).toEqual([]);
  });

  it('are unavailable while the ledger is away', async () => {
    store.isAway = true;
    expect(await read()).toEqual({ kind: 'unavailable' });
    expect(await change({ kill_switch: true })).toEqual({ kind: 'unavailable' });
  });

  it('that cannot be read are replaced only by a change that names every member, and the receipt says so', async () => {
    const unreadable = { revision: 4, value: { set: { kill_switch: 'yes' }, file: {} } };
    store.kept = unreadable;
    const others = { max_unattended_risk: 1, approval_needs_mfa: null, approval_needs_interactive: false };
    expect(await read()).toEqual({ kind: 'unreadable', missing: Object.keys(file) });
    expect(await change({ kill_switch: false })).toMatchObject({
      kind: 'unreadable',
      missing: expect.arrayContaining(['max_unattended_risk', 'suspended']),
    });
    // A list that is not named could hold whoever was suspended.
    expect(await change({ ...others, kill_switch: false, suspended: { users: [] } })).toEqual({
      kind: 'unreadable',
      missing: ['suspended.agents'],
    });
    expect(store.kept).toBe(unreadable);
    const suspended = { users: ['uma'], agents: [] };
    expect(await change({ ...others, kill_switch: true, suspended })).toMatchObject({
      kind: 'shown',
      settings: { kill_switch: true, suspended },
    });
    expect(store.kept).toMatchObject({ revision: 5 });
    expect(store.actions.at(-1)).toMatch(/^settings\.put tenant .* over settings that could not be read$/);
  });

  it('leave a receipt that names what was set, and no list of people', async () => {
    await change({ kill_switch: true, max_unattended_risk: null, suspended: { users: ['uma'] } });
    expect(store.actions).toEqual([
      'settings.put tenant kill_switch=true max_unattended_risk=null suspended',
    ]);
  });

  it('show for each member what was set last, or the file', () => {
    const member = fc.constantFrom('a', 'b', 'c');
    const value = fc.option(fc.integer({ min: 0, max: 3 }));
    fc.assert(
      fc.property(
        fc.array(fc.dictionary(member, value)),
        fc.dictionary(member, fc.integer()),
        (changes, now) => {
          const base = { a: 10, b: 11, c: 12 };
          const stored = changes.reduce((before, each) => withChange(before, each, base), nothingStored);
          const expected = new Map(Object.entries({ ...base, ...now }));
          let drift = false;
          for (const name of ['a', 'b', 'c'] as const) {
            const set = changes.flatMap((each) => (name in each ? [each[name]] : [])).at(-1);
            if (typeof set !== 'number') continue;
            expected.set(name, set);
            drift ||= name in now && now[name] !== base[name];
          }
          expect(inForce(stored, { ...base, ...now })).toEqual(Object.fromEntries(expected));
          expect(hasDrifted(stored, { ...base, ...now })).toBe(drift);
        },
      ),
    );
  });
});

describe('settings of native tools', () => {
  it('stand in one place for the whole installation', () => {
    const document = nativeToolsDocument({
      ...{ file_tools_enabled: false, file_allowed_paths: [], file_max_size_kb: 1, file_write_max_kb: 1 },
      ...{ web_fetch_enabled: false, terminal_exec_enabled: false },
      ...{ memory_enabled: false, session_search_enabled: false },
    });
    expect(document.tenantOf(principal)).toBe('default');
  });

  it('refuse the switch of a family that does not exist, and store none of these', () => {
    expect(notAvailableOf({ file_tools_enabled: true, memory_enabled: true })).toEqual(['memory_enabled']);
    expect(notAvailableOf({ web_fetch_enabled: false, terminal_exec_enabled: null })).toEqual([]);
    expect(storedPartOf({ file_tools_enabled: true, web_fetch_enabled: false })).toEqual({
      file_tools_enabled: true,
    });
  });
});
