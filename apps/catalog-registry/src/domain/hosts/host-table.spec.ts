import { TenantId, type ServerReport } from '@uar/contracts';
import { describe, expect, it } from 'vitest';
import { HostTable, type HostBeat } from './host-table.js';

const tenant = TenantId.parse('default');
const report = (server: string, more: Partial<ServerReport> = {}): ServerReport => ({
  ...{ tenant, server, revision: 1, status: 'ready', list_digest: 'd', tool_count: 1, epoch: 1, since: 0 },
  ...{ in_flight: 0, restarts: 0, sandbox_effective: 'none' },
  ...more,
});
const beat = (instance: string, servers: ServerReport[], more: Partial<HostBeat> = {}): HostBeat => ({
  ...{ host: 'mcp', instance, at: 0, stopping: false, servers },
  ...more,
});

describe('HostTable', () => {
  it('tells the servers about which something of weight is new', () => {
    const table = new HostTable();
    expect(table.hear(beat('h1', [report('a'), report('b')]), 0)).toEqual(
      new Set(['default/a', 'default/b']),
    );
    expect(table.hear(beat('h1', [report('a', { in_flight: 3 }), report('b')]), 1)).toEqual(new Set());
    expect(table.hear(beat('h1', [report('a', { status: 'failed' }), report('b')]), 2)).toEqual(
      new Set(['default/a']),
    );
    expect(table.hear(beat('h1', [report('b')]), 3)).toEqual(new Set(['default/a']));
    expect(table.hear(beat('h1', [report('b')], { stopping: true }), 4)).toEqual(new Set(['default/b']));
  });

  it('takes a host that was silent for more than 5 s as gone', () => {
    const table = new HostTable();
    table.hear(beat('h1', [report('a')]), 1_000);
    table.hear(beat('h2', [report('a')]), 4_000);
    expect(table.sweep(6_000)).toEqual(new Set());
    expect(table.sweep(6_001)).toEqual(new Set(['default/a']));
    expect(table.reportsOf('default/a', 'mcp').map(({ instance }) => instance)).toEqual(['h2']);
    expect(table.hear(beat('h1', [report('a')]), 7_000)).toEqual(new Set(['default/a']));
  });

  it('never takes a native host for a host of upstreams', () => {
    const table = new HostTable();
    table.hear(beat('h1', [report('native')], { host: 'native' }), 0);
    expect(table.reportsOf('default/native', 'mcp')).toEqual([]);
    expect(table.reportsOf('default/native', 'native')).toHaveLength(1);
  });
});
