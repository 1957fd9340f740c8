import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bus, Reply } from '@uar/bus';
import { definitionDigest } from '@uar/catalog';
import {
  CallId,
  hostBeat,
  hosts,
  readNativeStatements,
  readSettings,
  registryStarted,
  settingsChanged,
  TenantId,
  type AskOf,
  type BodyOf,
  type Setting,
} from '@uar/contracts';
import { createGrantSigner } from '@uar/grant';
import { argumentsDigest } from '@uar/json-text';
import { ensureSigningKeys, readPrivateKey } from '@uar/keys';
import type { RunningService } from '@uar/service';
import { createLog } from '@uar/telemetry';
import { testConfig, withBothBuses, type ConnectBus } from '@uar/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { service } from './module.js';

type RunAsk = AskOf<typeof hosts.native.run>;
type Beat = BodyOf<typeof hostBeat>;

const tenant = TenantId.parse('default');
const log = createLog({ service: 'test', level: 'silent' });

/** The settings of native tools as the approval-service holds them. */
interface NativeLedger {
  put(value: unknown): void;
}

async function nativeSettings(connect: ConnectBus): Promise<NativeLedger> {
  const bus = await connect('approval-service');
  const place = { tenant, namespace: 'native-tools', key: 'settings' };
  let settings: Setting[] = [];
  let revision = 0;
  bus.answer(readSettings, ({ namespace }) => ({
    settings: namespace === place.namespace ? settings : [],
  }));
  await bus.flush();
  return {
    put: (value) => {
      revision += 1;
      settings = [{ ...place, revision, value }];
      bus.announce(settingsChanged, place);
    },
  };
}

withBothBuses('native-tool-host', (connect) => {
  let folder: string;
  let host: Bus;
  let gateway: Bus;
  let registry: Bus;
  let running: RunningService;
  let ledger: NativeLedger;
  const beats: Beat[] = [];
  const awaited: ((beat: Beat) => void)[] = [];
  let calls = 0;

  beforeAll(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'uar-native-')));
    mkdirSync(join(folder, 'work'));
    ensureSigningKeys(join(folder, 'grant.key'), join(folder, 'grant.pub'));
    const config = testConfig({
      data_dir: join(folder, 'data'),
      keys: { grant_public_file: join(folder, 'grant.pub') },
      native_tools: { file_tools_enabled: true, file_allowed_paths: [join(folder, 'work')] },
    });
    host = await connect('native-tool-host');
    gateway = await connect('gateway');
    registry = await connect('catalog-registry');
    ledger = await nativeSettings(connect);
    registry.listen(hostBeat, (beat) => {
      beats.push(beat);
      for (const take of awaited.splice(0)) take(beat);
    });
    await registry.flush();
    const first = nextBeat();
    running = await service.start({ config, bus: host, log });
    await first;
  });
  afterAll(async () => {
    await running.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  function nextBeat(): Promise<Beat> {
    return new Promise((resolve) => awaited.push(resolve));
  }

  async function definitions(): Promise<Map<string, string>> {
    const reply = await registry.ask(
      hosts.native.listTools,
      { tenant, server: 'native' },
      { to: host.instance },
    );
    if (reply.kind !== 'answered' || reply.value.kind !== 'listed') throw new Error('no list');
    const named = reply.value.definitions.map((text): [string, string] => {
      const tool: { name: string } = JSON.parse(text);
      return [tool.name, text];
    });
    return new Map(named);
  }

  /** A granted ask; `changes` happen after the grant was signed. */
  async function granted(name: string, args: unknown, changes: Partial<RunAsk> = {}): Promise<RunAsk> {
    calls += 1;
    const arguments_json = JSON.stringify(args);
    const call = {
      call_id: CallId.parse(`call_${calls.toString(16).padStart(32, '0')}`),
      tenant,
      server: 'native',
      raw_name: name,
      definition_digest: definitionDigest((await definitions()).get(name) ?? ''),
    };
    const grant = createGrantSigner(readPrivateKey(join(folder, 'grant.key'))).sign({
      ...call,
      principal: 'User::"default/dev"',
      host: 'native',
      instance: host.instance,
      arguments_digest: argumentsDigest(arguments_json),
      policy_version: 'p1',
      issued_at: Date.now(),
      expires_at: Date.now() + 30_000,
    });
    return {
      ...call,
      grant,
      arguments_json,
      timeout_ms: 10_000,
      max_result_bytes: 1_000_000,
      wants_progress: false,
      ...changes,
    };
  }

  function run(ask: RunAsk): Promise<Reply<typeof hosts.native.run>> {
    return gateway.ask(hosts.native.run, ask, { to: host.instance });
  }

  it('lists its tools with closed schemas and states their facts', async () => {
    const listed = await definitions();
    expect([...listed.keys()]).toEqual(['file_read', 'file_write', 'file_patch']);
    expect(JSON.parse(listed.get('file_read') ?? '')).toMatchObject({
      inputSchema: {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        required: ['path'],
        additionalProperties: false,
      },
      annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
    });
    const statements = await registry.ask(readNativeStatements, {}, { to: host.instance });
    expect(statements).toMatchObject({
      value: {
        statements: {
          file_read: { family: 'native.file', capabilities: ['read'], risk: 1, paths: ['/path'] },
          file_write: { family: 'native.file', capabilities: ['write'], risk: 2, read_only: false },
          file_patch: { family: 'native.file', capabilities: ['write'], risk: 2 },
        },
      },
    });
    const other = await registry.ask(
      hosts.native.listTools,
      { tenant, server: 'time' },
      { to: host.instance },
    );
    expect(other).toMatchObject({ value: { kind: 'not_owner' } });
  });

  it('executes granted calls', async () => {
    const path = join(folder, 'work', 'file.txt');
    const wrote = await run(await granted('file_write', { path, content: 'hello' }));
    expect(wrote).toMatchObject({ value: { kind: 'ran', is_error: false } });
    expect(readFileSync(path, 'utf8')).toBe('hello');
    expect(await run(await granted('file_read', { path }))).toEqual({
      kind: 'answered',
      value: { kind: 'ran', result_json: '{"content":[{"type":"text","text":"hello"}]}', is_error: false },
    });
    const missing = await run(await granted('file_read', { path: `${path}.no` }));
    expect(missing).toMatchObject({ value: { kind: 'ran', is_error: true } });
  });

  it('executes a call once, and nothing that the grant does not name', async () => {
    const path = join(folder, 'work', 'once.txt');
    const ask = await granted('file_write', { path, content: '+', append: true });
    expect(await run(ask)).toMatchObject({ value: { kind: 'ran' } });
    expect(await run(ask)).toMatchObject({ value: { kind: 'refused', cause: 'used' } });
    const other = JSON.stringify({ path, content: 'evil' });
    const changes: Partial<RunAsk>[] = [
      { arguments_json: other },
      { raw_name: 'file_read' },
      { tenant: TenantId.parse('other') },
      { call_id: CallId.parse(`call_${'f'.repeat(32)}`) },
      { grant: '' },
      { definition_digest: `sha256:${'0'.repeat(64)}` },
    ];
    for (const change of changes) {
      const changed = await granted('file_write', { path, content: 'good' }, change);
      expect(await run(changed)).toMatchObject({ value: { kind: 'refused' } });
    }
    expect(readFileSync(path, 'utf8')).toBe('+');
  });

  it('says when a result is larger than its caller takes', async () => {
    const path = join(folder, 'work', 'large.txt');
    writeFileSync(path, 'x'.repeat(10_000));
    const ask = await granted('file_read', { path }, { max_result_bytes: 5_000 });
    expect(await run(ask)).toMatchObject({ value: { kind: 'result_too_large' } });
  });

  it('answers a cancel for a call it does not run', async () => {
    const ask = { call_id: CallId.parse(`call_${'e'.repeat(32)}`) };
    const reply = await gateway.ask(hosts.native.cancel, ask, { to: host.instance });
    expect(reply).toMatchObject({ value: { found: false } });
  });

  it('follows the switch and the limits of a family within a second, and executes nothing of one that is off', async () => {
    const path = join(folder, 'work', 'switched.txt');
    writeFileSync(path, 'x'.repeat(3_000));
    const read = await granted('file_read', { path });
    const set = (members: object) => ledger.put({ set: members, file: {} });
    const count = () => beats.at(-1)?.servers[0]?.tool_count;
    set({ file_tools_enabled: false });
    await expect.poll(count, { timeout: 1_000 }).toBe(0);
    expect((await definitions()).size).toBe(0);
    expect(await run(read)).toMatchObject({ value: { kind: 'refused', cause: 'unknown_tool' } });
    set({ file_max_size_kb: 1 });
    await expect.poll(count, { timeout: 1_000 }).toBe(3);
    expect(await run(await granted('file_read', { path }))).toMatchObject({ value: { is_error: true } });
    set({ file_allowed_paths: [join(folder, 'data')] });
    await expect
      .poll(async () => JSON.stringify(await run(await granted('file_read', { path }))))
      .toContain('not inside a folder');
    set({});
    await expect
      .poll(async () => JSON.stringify(await run(await granted('file_read', { path }))))
      .toContain('xxx');
  });

  it('serves nothing by settings that cannot be read, and says so', async () => {
    ledger.put({ set: { file_tools_enabled: 'yes' }, file: {} });
    await expect.poll(() => beats.at(-1)?.servers[0]?.tool_count, { timeout: 1_000 }).toBe(0);
    expect((await running.readiness()).problems).toEqual([
      'the stored settings of native tools are unreadable',
    ]);
    ledger.put({ set: {}, file: {} });
    await expect.poll(() => beats.at(-1)?.servers[0]?.tool_count, { timeout: 1_000 }).toBe(3);
    expect(await running.readiness()).toEqual({ ready: true, problems: [] });
  });

  it('beats every second and as soon as a registry starts, and says that it stops', async () => {
    await nextBeat();
    const began = performance.now();
    const answer = nextBeat();
    registry.announce(registryStarted, { version: 'r.1' });
    await answer;
    expect(performance.now() - began).toBeLessThan(900);
    await nextBeat();
    expect(performance.now() - began).toBeGreaterThan(600);
    const listed = await registry.ask(
      hosts.native.listTools,
      { tenant, server: 'native' },
      { to: host.instance },
    );
    expect(beats.at(-1)).toMatchObject({
      host: 'native',
      instance: host.instance,
      stopping: false,
      servers: [{ server: 'native', status: 'ready', tool_count: 3, sandbox_effective: 'paths' }],
    });
    expect(listed).toMatchObject({ value: { list_digest: beats.at(-1)?.servers[0]?.list_digest } });
    const last = nextBeat();
    await running.stop();
    expect(await last).toMatchObject({ stopping: true, servers: [{ status: 'stopping' }] });
  });
});

withBothBuses('native-tool-host without families', (connect) => {
  it('serves nothing by default', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'uar-native-'));
    ensureSigningKeys(join(folder, 'grant.key'), join(folder, 'grant.pub'));
    const config = testConfig({ keys: { grant_public_file: join(folder, 'grant.pub') } });
    const host = await connect('native-tool-host');
    const registry = await connect('catalog-registry');
    await nativeSettings(connect);
    const running = await service.start({ config, bus: host, log });
    await host.flush();
    const listed = await registry.ask(
      hosts.native.listTools,
      { tenant, server: 'native' },
      { to: host.instance },
    );
    expect(listed).toMatchObject({ value: { kind: 'listed', definitions: [] } });
    await running.stop();
    rmSync(folder, { recursive: true, force: true });
  });
});
