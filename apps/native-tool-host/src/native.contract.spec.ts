import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Reply } from '@uar/bus';
import { CallId, hosts, readNativeStatements, registryStarted, TenantId } from '@uar/contracts';
import { createGrantSigner } from '@uar/grant';
import { ensureSigningKeys, readPrivateKey } from '@uar/keys';
import { testConfig, withBothBuses } from '@uar/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { service } from './module.js';
import { log, nativeSettings, nativeWorld, tenant, type NativeWorld, type RunAsk } from './native.fixture.js';

withBothBuses('native-tool-host', (connect) => {
  let folder: NativeWorld['folder'];
  let host: NativeWorld['host'];
  let gateway: NativeWorld['gateway'];
  let registry: NativeWorld['registry'];
  let running: NativeWorld['running'];
  let ledger: NativeWorld['ledger'];
  let beats: NativeWorld['beats'];
  let nextBeat: NativeWorld['nextBeat'];
  let definitions: NativeWorld['definitions'];
  let granted: NativeWorld['granted'];
  let run: NativeWorld['run'];
  let stop: NativeWorld['stop'];

  beforeAll(async () => {
    ({ folder, host, gateway, registry, running, ledger, beats, nextBeat, definitions, granted, run, stop } =
      await nativeWorld(connect));
  });
  afterAll(() => stop());

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

  it('answers the offers of its decider alone', async () => {
    const decider = await connect('governance-decider');
    const answers = async (key: KeyObject) => {
      const offers: Promise<Reply<typeof hosts.native.agreeKey>>[] = [];
      const offer = async (_host: unknown, text: string) => {
        offers.push(decider.ask(hosts.native.agreeKey, { offer: text }, { to: host.instance }));
        return Promise.resolve(undefined);
      };
      await granted('file_read', { path: join(folder, 'a') }, {}, createGrantSigner(key, { offer }));
      return Promise.all(offers);
    };
    const [own] = await answers(readPrivateKey(join(folder, 'grant.key')));
    expect(own).toMatchObject({ value: { kind: 'agreed' } });
    const [foreign] = await answers(generateKeyPairSync('ed25519').privateKey);
    expect(foreign).toMatchObject({ value: { kind: 'refused', cause: 'unknown_key' } });
    await decider.close();
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
