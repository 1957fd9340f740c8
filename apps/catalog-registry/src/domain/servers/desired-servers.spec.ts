import { ServerConfig, TenantId } from '@uar/contracts';
import { describe, expect, it } from 'vitest';
import { configDigest } from './config-identity.js';
import { DesiredServers, type StoredValue } from './desired-servers.js';

const tenant = TenantId.parse('default');
const config = (timeout_ms: number, more: object = {}) =>
  ServerConfig.parse({ transport: 'stdio', command: 'x', timeout_ms, ...more });
const file = (timeout_ms?: number) =>
  timeout_ms === undefined ? [] : [{ tenant, name: 'fs', config: config(timeout_ms) }];
/** What the API stored when the file said `over`. */
const api = (timeout_ms: number, over?: number): StoredValue => ({
  kind: 'server',
  config: config(timeout_ms),
  ...(over === undefined ? {} : { fileDigest: configDigest(config(over)) }),
});

describe('DesiredServers', () => {
  it.each<[string, { file?: number; stored?: StoredValue; value?: number; drift?: boolean }]>([
    ['the file alone', { file: 1, value: 1, drift: false }],
    ['the API alone', { stored: api(2), value: 2, drift: false }],
    ['the API over an unchanged file', { file: 1, stored: api(2, 1), value: 2, drift: false }],
    ['the API over a file that changed since', { file: 3, stored: api(2, 1), value: 2, drift: true }],
    ['the API over a file that changed to the same', { file: 2, stored: api(2, 1), value: 2, drift: false }],
    ['the API over a file that has the server no more', { stored: api(2, 1), value: 2, drift: true }],
    ['the API over a file that has the server now', { file: 1, stored: api(2), value: 2, drift: true }],
    ['a file server that the API deleted', { file: 1, stored: { kind: 'deleted' } }],
    ['nothing', {}],
  ])('merges %s', (_what, given) => {
    const desired = new DesiredServers(file(given.file));
    if (given.stored !== undefined)
      desired.adopt({ tenant, name: 'fs', settingRevision: 4, value: given.stored });
    const server = desired.get(tenant, 'fs');
    expect(server?.config.timeout_ms).toBe(given.value);
    expect(server?.drift).toBe(given.drift);
    expect(desired.list()).toHaveLength(given.value === undefined ? 0 : 1);
    expect(desired.settingRevision(tenant, 'fs')).toBe(given.stored === undefined ? 0 : 4);
  });

  it('gives equal configurations equal revisions, and remembers under which one the connection is the same', () => {
    const desired = new DesiredServers(file(1));
    const before = desired.get(tenant, 'fs');
    expect(new DesiredServers(file(1)).get(tenant, 'fs')?.revision).toBe(before?.revision);
    desired.adopt({ tenant, name: 'fs', settingRevision: 1, value: api(2, 1) });
    const after = desired.get(tenant, 'fs');
    expect(after?.revision).not.toBe(before?.revision);
    expect(after?.sameConnection).toEqual(new Set([before?.revision, after?.revision]));
    const other = { kind: 'server', config: config(2, { args: ['new'] }) } as const;
    desired.adopt({ tenant, name: 'fs', settingRevision: 2, value: other });
    const moved = desired.get(tenant, 'fs');
    expect(moved?.sameConnection).toEqual(new Set([moved?.revision]));
  });

  it('ignores what is older than what it knows', () => {
    const desired = new DesiredServers([]);
    desired.adopt({ tenant, name: 'fs', settingRevision: 2, value: api(2) });
    desired.adopt({ tenant, name: 'fs', settingRevision: 1, value: api(1) });
    expect(desired.get(tenant, 'fs')?.config.timeout_ms).toBe(2);
  });
});
