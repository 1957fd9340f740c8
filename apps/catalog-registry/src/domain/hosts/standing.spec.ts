import { TenantId, type ServerReport } from '@uar/contracts';
import { describe, expect, it } from 'vitest';
import type { ToolList } from '../tools/tool-list.js';
import type { LiveReport } from './host-table.js';
import { healthOf, standingOf, type ServerFacts } from './standing.js';

const tenant = TenantId.parse('default');
const list = (digest: string): ToolList => ({ digest, tools: [], problems: [] });
const live = (instance: string, more: Partial<ServerReport> = {}, stopping = false): LiveReport => ({
  ...{ instance, host: 'mcp', stopping },
  report: {
    ...{
      tenant,
      server: 'fs',
      revision: 1,
      status: 'ready',
      list_digest: 'd1',
      tool_count: 1,
      epoch: 1,
      since: 1,
    },
    ...{ in_flight: 0, restarts: 0, sandbox_effective: 'none' },
    ...more,
  },
});
const facts = (more: Partial<ServerFacts>): ServerFacts => ({
  ...{ enabled: true, reports: [], revisions: new Set([1]) },
  lists: new Map([
    ['d1', list('d1')],
    ['d2', list('d2')],
  ]),
  ...more,
});

describe('standingOf', () => {
  it.each<[string, Partial<ServerFacts>, object]>([
    ['a disabled server', { enabled: false, reports: [live('a')] }, { status: 'disabled', instances: [] }],
    ['no host', {}, { status: 'connecting', instances: [], incomplete: 'no host serves it' }],
    ['a ready host', { reports: [live('a')] }, { status: 'ready', instances: ['a'], list: list('d1') }],
    [
      'one ready and one failed host',
      { reports: [live('a', { status: 'failed' }), live('b')] },
      { status: 'ready', instances: ['b'], list: list('d1') },
    ],
    [
      'a host with another configuration',
      { reports: [live('a', { revision: 7 })] },
      { status: 'connecting', instances: [], incomplete: 'the server is connecting' },
    ],
    [
      'a host that is leaving',
      { reports: [live('a', {}, true)] },
      { status: 'stopping', instances: [], incomplete: 'the server is stopping' },
    ],
    [
      'hosts with different lists: the newer one is shown, and only who has it can execute it',
      { reports: [live('a', { list_digest: 'd1', epoch: 1 }), live('b', { list_digest: 'd2', epoch: 2 })] },
      { status: 'ready', instances: ['b'], list: list('d2') },
    ],
    [
      'a list that is not read yet: the last one stays in sight',
      { reports: [live('a', { list_digest: 'd3' })], shown: list('d1') },
      { status: 'ready', instances: [], list: list('d1'), incomplete: 'its tools are being listed' },
    ],
    [
      'a host that opens its lost connection again: calls wait there',
      { reports: [live('a', { status: 'connecting' })] },
      { status: 'connecting', instances: ['a'], list: list('d1'), incomplete: 'the server is connecting' },
    ],
    [
      'a host that connects for the first time, or after it failed',
      { reports: [live('a', { status: 'connecting', list_digest: undefined })] },
      { status: 'connecting', instances: [], incomplete: 'the server is connecting' },
    ],
    [
      'a list with problems',
      {
        reports: [live('a')],
        lists: new Map([
          ['d1', { ...list('d1'), problems: [{ reason: '2 tools share a public name', names: ['x'] }] }],
        ]),
      },
      { status: 'ready', incomplete: '2 tools share a public name' },
    ],
  ])('knows %s', (_what, given, expected) => {
    const standing = standingOf(facts(given));
    expect(standing).toMatchObject(expected);
    if (!('incomplete' in expected)) expect(standing.incomplete).toBeUndefined();
  });
});

describe('healthOf', () => {
  it('joins the replicas', () => {
    const reports = [
      live('a', { last_ok_at: 1_000, latency_ms: 9 }),
      live('b', {
        last_ok_at: 2_000,
        latency_ms: 4,
        mcp_revision: '2026-07-28',
        status: 'failed',
        last_error: 'gone',
        restarts: 2,
      }),
    ];
    expect(healthOf('fs', facts({ reports }), 3)).toEqual({
      name: 'fs',
      status: 'ready',
      tool_count: 3,
      replicas: [
        { host: 'a', epoch: 1, since: '1970-01-01T00:00:00.001Z', in_flight: 0, restarts: 0 },
        {
          host: 'b',
          epoch: 1,
          since: '1970-01-01T00:00:00.001Z',
          in_flight: 0,
          restarts: 2,
          last_error: 'gone',
        },
      ],
      last_ok_at: '1970-01-01T00:00:02.000Z',
      latency_ms: 4,
      mcp_revision: '2026-07-28',
    });
    expect(healthOf('fs', facts({}), 0)).toEqual({
      name: 'fs',
      status: 'connecting',
      tool_count: 0,
      replicas: [],
    });
  });
});
