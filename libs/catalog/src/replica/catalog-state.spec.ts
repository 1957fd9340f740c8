import { CatalogEntry, CatalogServer, TenantId } from '@uar/contracts';
import { describe, expect, it } from 'vitest';
import { CatalogState } from './catalog-state.js';
import { entryOf, serverOf } from './catalog.fixture.js';

const acme = TenantId.parse('acme');
const other = TenantId.parse('other');
const nothing = { upserted: [], removed: [], servers: [], servers_removed: [] };

describe('CatalogState', () => {
  it('keeps tenants apart', () => {
    const state = new CatalogState();
    state.apply({ ...nothing, upserted: [entryOf('acme', 'fs', 'read')], servers: [serverOf('acme', 'fs')] });
    expect(state.find(acme, 'fs__read')?.facts.raw_name).toBe('read');
    expect(state.server(acme, 'fs')?.name).toBe('fs');
    expect(state.find(other, 'fs__read')).toBeUndefined();
    expect(state.server(other, 'fs')).toBeUndefined();
    expect(state.entries(other)).toEqual([]);
  });

  it('shows what the native host serves to every tenant, as that tenant', () => {
    const state = new CatalogState();
    state.apply({
      ...nothing,
      upserted: [entryOf('default', 'native', 'file_read')],
      servers: [serverOf('default', 'native')],
    });
    for (const tenant of [acme, other]) {
      const entry = state.find(tenant, 'native__file_read');
      expect(CatalogEntry.parse(entry).facts.tenant).toBe(tenant);
      expect(CatalogServer.parse(state.server(tenant, 'native')).tenant).toBe(tenant);
      expect(state.entries(tenant)).toEqual([entry]);
      expect(state.find(tenant, 'native__file_read')).toBe(entry);
    }
  });

  it('lists in order of name, and the same list until something of the tenant changes', () => {
    const state = new CatalogState();
    state.apply({ ...nothing, upserted: [entryOf('acme', 'z', 'b'), entryOf('acme', 'z', 'a')] });
    const before = state.entries(acme);
    expect(before.map((entry) => entry.name)).toEqual(['z__a', 'z__b']);
    expect(state.apply({ ...nothing, upserted: [entryOf('other', 'y', 'c')] })).toEqual(new Set(['other']));
    expect(state.entries(acme)).toBe(before);
    expect(state.apply({ ...nothing, removed: ['acme/z__b'] })).toEqual(new Set(['acme']));
    expect(state.entries(acme).map((entry) => entry.name)).toEqual(['z__a']);
  });

  it('withdraws native tools from every tenant', () => {
    const state = new CatalogState();
    state.apply({ ...nothing, upserted: [entryOf('default', 'native', 'file_read')] });
    expect(state.entries(acme)).toHaveLength(1);
    expect(state.apply({ ...nothing, removed: ['default/native__file_read'] })).toBe('all');
    expect(state.entries(acme)).toEqual([]);
    expect(state.find(acme, 'native__file_read')).toBeUndefined();
  });
});
