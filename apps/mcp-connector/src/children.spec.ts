import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHub, type Hub } from '@uar/bus';
import { listPageBytes } from '@uar/contracts';
import { memberText } from '@uar/json-text';
import { createLog } from '@uar/telemetry';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { World, scripted, type Servers } from './connector.fixture.js';

const log = createLog({ service: 'test', level: 'silent' });

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('stdio children of the connector', () => {
  let hub: Hub;
  let world: World;
  let scratch: string;
  const start = async (servers: Servers, config: Parameters<typeof World.start>[2] = {}): Promise<void> => {
    world = await World.start((service) => Promise.resolve(hub.connect({ service, log })), servers, config);
  };
  beforeEach(() => {
    hub = createHub();
    scratch = mkdtempSync(join(tmpdir(), 'uar-children-'));
  });
  afterEach(async () => {
    await world.stop();
    await hub.close();
    rmSync(scratch, { recursive: true });
  });

  it('lists all pages, and what the upstream wrote of each tool (N5, R1)', async () => {
    const odd =
      '{"name":"b","x-unknown":{"z":1.0,"a":9007199254740993},"annotations":{"readOnlyHint":false},"inputSchema":{"$ref":"#/$defs/x"}}';
    const pages = ['{"name":"a","inputSchema":{}}', odd, '{"name":"c","inputSchema":{}}'];
    await start({ paged: scripted({ pages }), endless: scripted({ pages, repeatCursor: true }) });
    expect(await world.untilReady('paged')).toMatchObject({ tool_count: 3 });
    expect(await world.list('paged')).toMatchObject({ definitions: pages, duplicates: [] });
    expect(await world.untilReady('endless')).toMatchObject({ incomplete: 'the upstream repeats a cursor' });
    expect((await world.list('endless')).definitions).toContain(odd);
  });

  it('gives a list of 5,000 tools away in pages of bounded length (O2)', async () => {
    await start({ many: scripted({ many: 5_000 }) });
    const { list_digest = '' } = await world.until('many', ({ tool_count }) => tool_count === 5_000);
    const names: (string | undefined)[] = [];
    for (let at: number | undefined = 0; at !== undefined;) {
      const page = await world.page('many', { list_digest, start: at });
      expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThanOrEqual(listPageBytes);
      names.push(...page.definitions.map((text) => memberText(text, 'name')));
      at = page.next;
    }
    expect(names).toEqual(Array.from({ length: 5_000 }, (_, index) => `"t${index}"`));
    await expect(world.page('many', { list_digest: 'of before', start: 0 })).rejects.toThrow('stale');
  }, 30_000);

  it('serves no name that stands twice, nor definitions out of bounds, and says so (N9)', async () => {
    const deep = `{"name":"deep","inputSchema":${'{"a":'.repeat(40)}1${'}'.repeat(40)}}`;
    const large = `{"name":"large","description":"${'x'.repeat(70_000)}"}`;
    const tools = [
      '{"name":"a"}',
      '{"name":"twin"}',
      '{"name":"twin","x":1}',
      deep,
      large,
      '{"name":"n","n":1,"n":2}',
      '7',
    ];
    await start({ odd: scripted({ pages: [tools.join(',')] }) });
    const report = await world.untilReady('odd');
    expect(report.incomplete).toMatch(/too large.*nested too deeply|nested too deeply.*too large/);
    expect(report.incomplete).toContain('names a member twice');
    expect(await world.list('odd')).toMatchObject({ definitions: ['{"name":"a"}'], duplicates: ['twin'] });
  });

  it('reads the list again when the upstream says that it changed (N7)', async () => {
    await start({ growing: scripted() });
    const before = await world.untilReady('growing');
    await world.run('growing', 'grow');
    const after = await world.until('growing', ({ tool_count }) => tool_count === before.tool_count + 1);
    expect(after.list_digest).not.toBe(before.list_digest);
    expect(after.epoch).toBe(before.epoch);
  });

  it('does not loop with a server that answers each list with another change (N7)', async () => {
    await start({ restless: scripted({ relist: true }) });
    await world.untilReady('restless');
    await expect
      .poll(async () => (await world.counts('restless')).lists, { timeout: 5_000 })
      .toBeGreaterThan(2);
    const begin = performance.now();
    const first = (await world.counts('restless')).lists;
    await world.until('restless', () => performance.now() - begin > 2_000);
    expect((await world.counts('restless')).lists - first).toBeLessThanOrEqual(2);
  });

  it('backs off from a crash loop while others work, and leaves secrets out of the report (P5)', async () => {
    await start({
      crashing: {
        transport: 'stdio',
        command: '/bin/sh',
        args: ['-c', 'echo "cannot log in with $TOKEN" >&2; exit 1'],
        env: { TOKEN: 'planted-token' },
      },
      fine: scripted(),
    });
    await world.untilReady('fine');
    const report = await world.until('crashing', ({ status }) => status === 'crash_loop');
    expect(report.last_error).toContain('cannot log in with ***');
    expect(JSON.stringify(world.beats)).not.toContain('planted-token');
    expect(world.report('fine')).toMatchObject({ status: 'ready', restarts: 0 });
  });

  it('caps a line of 9 MB and one of 100 MB without disturbing anybody (P10)', async () => {
    await start({ big: scripted(), other: scripted() });
    await Promise.all([world.untilReady('big'), world.untilReady('other')]);
    const slow = await world.begin(await world.ask('other', 'slow', { args: { ms: 500 } }));
    for (const bytes of [9_000_000, 100_000_000])
      expect(await world.run('big', 'flood', { args: { bytes } })).toMatchObject({
        kind: 'result_too_large',
      });
    expect((await slow.answer).kind).toBe('ran');
    expect(await world.run('big', 'echo')).toMatchObject({ kind: 'ran' });
    expect(world.report('big')).toMatchObject({ restarts: 0 });
  });

  it('stops what is no longer wanted, also a child that ignores SIGTERM (P8)', async () => {
    await start({ stubborn: scripted({ ignoreTerm: true }), kept: scripted() });
    await Promise.all([world.untilReady('stubborn'), world.untilReady('kept')]);
    const { pid } = await world.counts('stubborn');
    world.want({ kept: scripted() });
    await expect.poll(() => isAlive(pid), { timeout: 8_000 }).toBe(false);
    expect(world.report('stubborn')).toBeUndefined();
    expect(world.report('kept')).toMatchObject({ status: 'ready', epoch: 1 });
  });

  it('reconnects where the connection changed, and only there', async () => {
    await start({ one: scripted() });
    await world.untilReady('one');
    world.want({ zero: scripted(), one: scripted({}, { timeout_ms: 99, concurrency: 3 }) });
    await world.until('one', ({ revision }) => revision === 1);
    expect(world.report('one')).toMatchObject({ status: 'ready', epoch: 1 });
    world.want({ zero: scripted(), one: scripted({}, { env: { A: 'b' } }) });
    await world.until('one', ({ epoch, status }) => epoch === 2 && status === 'ready');
    world.want({ zero: scripted({}, { enabled: false }), one: scripted({}, { env: { A: 'b' } }) });
    await world.until('zero', ({ status }) => status === 'disabled');
    expect(world.report('one')).toMatchObject({ epoch: 2 });
  });

  it('fails what it cannot connect as asked, in words, and starts the others', async () => {
    await start(
      {
        open: scripted({}, { sandbox: { mode: 'none' } }),
        unresolved: scripted({}, { env: { A: '${NO_SUCH_ONE}', B: '${HOME}' } }),
        confined: scripted(),
        slotted: scripted({}, { slots: 2 }),
        nowhere: { transport: 'stdio', command: '/no/such/program', sandbox: { mode: 'none' } },
      },
      { profile: 'server-full', security: {} },
    );
    await world.untilReady('open');
    const failed = async (name: string): Promise<string | undefined> =>
      (await world.until(name, ({ status }) => status === 'failed')).last_error;
    expect(await failed('unresolved')).toBe('unresolved placeholders: NO_SUCH_ONE, HOME');
    expect(await failed('confined')).toBe('sandbox.mode required cannot be kept by this host');
    expect(await failed('slotted')).toBe('more than one slot per server is not available');
    expect(await failed('nowhere')).toContain('ENOENT');
  });

  it('finishes running calls at a stop, begins none, and leaves no child (T10)', async () => {
    const file = join(scratch, 'pids');
    await start({ steady: scripted({ log: file }), late: scripted({ log: file, initializeMs: 600_000 }) });
    await world.untilReady('steady');
    await expect.poll(() => readFileSync(file, 'utf8').trim().split('\n').length).toBe(2);
    const pids = readFileSync(file, 'utf8').match(/\d+/g)?.map(Number) ?? [];
    expect(pids.every(isAlive)).toBe(true);
    const running = await world.begin(await world.ask('steady', 'slow', { args: { ms: 300 } }));
    const next = await world.ask('steady', 'echo');
    const stopped = world.stopService();
    expect(await world.send(next)).toMatchObject({ kind: 'unavailable' });
    expect((await running.answer).kind).toBe('ran');
    await stopped;
    expect(world.beats.at(-1)).toMatchObject({ stopping: true });
    expect(pids.some(isAlive)).toBe(false);
  });
});
