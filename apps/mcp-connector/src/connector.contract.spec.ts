import { ServerConfig, callProgressed, hosts, reconnectServer, tryServer, type CallId } from '@uar/contracts';
import { memberText } from '@uar/json-text';
import { withBothBuses } from '@uar/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { World, scripted, tenant } from './connector.fixture.js';

withBothBuses('mcp-connector', (connect) => {
  let world: World;
  beforeAll(async () => {
    world = await World.start(connect, {
      main: scripted(
        { noise: true, stderrBytes: 100_000 },
        { env: { PLANTED: 's3cret-value' }, concurrency: 2 },
      ),
      other: scripted(),
    });
    await Promise.all([world.untilReady('main'), world.untilReady('other')]);
  });
  afterAll(() => world.stop());

  const cancel = (call_id: CallId): Promise<unknown> =>
    world.gateway.ask(hosts.mcp.cancel, { call_id }, { to: world.host.instance });

  it('connects what the registry wants and reports it, with noise and 100 kB of stderr (P3, P4)', () => {
    expect(world.report('main')).toMatchObject({ status: 'ready', tool_count: 14, restarts: 0, epoch: 1 });
    expect(world.beats.at(-1)).toMatchObject({ host: 'mcp', instance: world.host.instance, stopping: false });
  });

  it('passes arguments and results byte for byte (R1, R4)', async () => {
    const args = '{"z":9007199254740993,"a":1.50,"t":"\\u00e4\\n x","z2":[1e2]}';
    const answer = await world.run('main', 'echo', { args });
    if (answer.kind !== 'ran') throw new Error(JSON.stringify(answer));
    expect(answer.is_error).toBe(false);
    expect(answer.result_json).toMatch(
      /"structuredContent":\{"big":9007199254740993,"b":1\.50,"a":\{"\$ref":"#"\}\},"annotations":\{"x":false\},"unknown":\[1e2\]\}$/,
    );
    const [content] = JSON.parse(memberText(answer.result_json, 'content') ?? '') as [{ text: string }];
    expect(memberText(content.text, 'params', 'arguments')).toBe(args);
    expect(content.text).not.toContain('grant');
  });

  it('passes a result larger than a bus message whole (R3), and caps it by the call', async () => {
    const answer = await world.run('main', 'big', { args: { bytes: 3_000_000 } });
    expect(answer.kind === 'ran' && answer.result_json.length).toBeGreaterThan(3_000_000);
    expect(await world.run('main', 'big', { args: { bytes: 5_000 }, max_result_bytes: 4_000 })).toMatchObject(
      {
        kind: 'result_too_large',
      },
    );
  });

  it('keeps an upstream error an error, its data untouched (R2)', async () => {
    expect(await world.run('main', 'error')).toEqual({
      kind: 'upstream_error',
      code: -32050,
      message: 'no such thing',
      data_json: '{"n":9007199254740993}',
    });
    expect(await world.run('main', 'number')).toMatchObject({ kind: 'upstream_error', code: -32603 });
  });

  it('refuses what the grant does not say, and a second use', async () => {
    const ask = await world.ask('main', 'echo', { args: { a: 1 } });
    expect(await world.send({ ...ask, arguments_json: '{"a":2}' })).toEqual({
      kind: 'refused',
      cause: 'wrong_arguments_digest',
    });
    expect(await world.send({ ...ask, raw_name: 'count' })).toMatchObject({ kind: 'refused' });
    expect(await world.send({ ...ask, server: 'other' })).toMatchObject({ kind: 'refused' });
    expect(await world.send({ ...ask, grant: `${ask.grant.slice(0, -4)}AAAA` })).toMatchObject({
      kind: 'refused',
    });
    expect((await world.send(ask)).kind).toBe('ran');
    expect(await world.send(ask)).toEqual({ kind: 'refused', cause: 'used' });
    expect(await world.send({ ...ask, server: 'unknown' })).toEqual({ kind: 'not_owner' });
  });

  it('takes grants under a key that it agreed on with the decider, and no offer of anybody else', async () => {
    const decider = await connect('governance-decider');
    const offer = (await world.ask('main', 'echo')).grant;
    const refused = await decider.ask(hosts.mcp.agreeKey, { offer }, { to: world.host.instance });
    expect(refused).toMatchObject({ value: { kind: 'refused', cause: 'bad_header' } });
    await world.grants.agree(decider);
    const ask = await world.ask('main', 'echo', { args: { a: 1 } });
    expect(Buffer.from(ask.grant.split('.')[0] ?? '', 'base64url').toString()).toContain('"alg":"HS256"');
    const changed = { ...ask, arguments_json: '{"a":2}' };
    expect(await world.send(changed)).toEqual({ kind: 'refused', cause: 'wrong_arguments_digest' });
    expect((await world.send(ask)).kind).toBe('ran');
    expect(await world.send(ask)).toEqual({ kind: 'refused', cause: 'used' });
    await decider.close();
  });

  it('refuses a definition other than its own, and arguments that are no object on one line', async () => {
    const digest = `sha256:${'0'.repeat(64)}`;
    expect(await world.send(world.signed('main', 'echo', { definition_digest: digest }))).toEqual({
      kind: 'refused',
      cause: 'definition_changed',
    });
    for (const text of ['{"a":1}}\n{"jsonrpc":"2.0"', '[]', '']) {
      const ask = await world.ask('main', 'echo', { args: text });
      expect(await world.send(ask)).toEqual({ kind: 'refused', cause: 'malformed_arguments' });
    }
    const pretty = await world.run('main', 'echo', { args: '{\n  "a": 1\n}' });
    expect(pretty.kind === 'ran' && pretty.result_json).toContain('{\\"a\\":1}');
  });

  it('ends a call at its timeout, tells the upstream, and drops the late answer (C3, C4)', async () => {
    const before = await world.counts('main');
    expect(await world.run('main', 'never', { timeout_ms: 50 })).toEqual({ kind: 'timeout' });
    expect(await world.run('main', 'late', { timeout_ms: 50 })).toEqual({ kind: 'timeout' });
    const after = await world.counts('main');
    expect(after).toMatchObject({ executions: before.executions + 1, waiting: 0, pid: before.pid });
  });

  it('cancels one call and leaves the others alone (P7)', async () => {
    const ask = await world.ask('main', 'never');
    const cancelled = await world.begin(ask);
    const kept = await world.begin(await world.ask('main', 'slow', { args: { ms: 300 } }));
    expect(await cancel(ask.call_id)).toMatchObject({ value: { found: true } });
    expect(await cancelled.answer).toEqual({ kind: 'cancelled', dispatched: true });
    expect((await kept.answer).kind).toBe('ran');
    expect((await world.counts('main')).waiting).toBe(0);
    expect(await cancel(ask.call_id)).toMatchObject({ value: { found: false } });
  });

  it('bounds what runs at once; a waiting call can be cancelled before dispatch', async () => {
    const before = await world.counts('main');
    const first = await world.begin(await world.ask('main', 'slow', { args: { ms: 400 } }));
    const second = await world.begin(await world.ask('main', 'slow', { args: { ms: 400 } }));
    const ask = await world.ask('main', 'slow', { args: { ms: 0 } });
    const waited = world.send(ask);
    await expect.poll(() => cancel(ask.call_id)).toMatchObject({ value: { found: true } });
    expect(await waited).toEqual({ kind: 'cancelled', dispatched: false });
    await Promise.all([first.answer, second.answer]);
    expect((await world.counts('main')).executions).toBe(before.executions + 2);
  });

  it('sends overload back instead of queueing without bound', async () => {
    const asks = await Promise.all(
      Array.from({ length: 60 }, () => world.ask('main', 'slow', { args: { ms: 50 } })),
    );
    const answers = await Promise.all(asks.map((ask) => world.send(ask)));
    const kinds = answers.map((answer) => answer.kind);
    expect(kinds.filter((kind) => kind === 'ran').length).toBeGreaterThanOrEqual(34);
    expect(kinds.filter((kind) => kind === 'overloaded').length).toBeGreaterThan(0);
    expect(new Set(kinds)).toEqual(new Set(['ran', 'overloaded']));
  });

  it('announces progress to whoever asked for it, and none after the result (C1)', async () => {
    const heard: unknown[] = [];
    const unlisten = world.gateway.listen(callProgressed, (body) => heard.push(body));
    await world.gateway.flush();
    const ask = await world.ask('main', 'progress', { wants_progress: true });
    const answer = await world.send(ask);
    expect(answer).toMatchObject({ kind: 'ran', is_error: false });
    expect(await world.run('main', 'progress')).toMatchObject({ kind: 'ran', is_error: true });
    await expect.poll(() => heard.length).toBe(3);
    unlisten();
    expect(heard).toEqual(
      [1, 2, 3].map((progress) => ({
        call_id: ask.call_id,
        params_json: `{"progress":${progress},"total":3}`,
      })),
    );
  });

  it('reports a process that ends during a call, and works again with the next (T1)', async () => {
    expect(await world.run('other', 'exit')).toMatchObject({ kind: 'transport_failure' });
    const report = await world.until('other', ({ restarts, status }) => restarts === 1 && status === 'ready');
    expect(report).toMatchObject({ epoch: 2, tool_count: 14, last_error: 'the process exited (code 1)' });
    expect(new Set(world.reports('other').map(({ list_digest }) => list_digest))).toEqual(
      new Set([report.list_digest]),
    );
    expect((await world.counts('other')).executions).toBe(0);
    expect(await world.run('other', 'cut')).toMatchObject({ kind: 'transport_failure' });
  });

  it('answers calls during a reconnect from the one new connection (P6)', async () => {
    const ask = await Promise.all(Array.from({ length: 5 }, () => world.ask('main', 'count')));
    const reply = world.registry.ask(
      reconnectServer,
      { tenant, server: 'main' },
      { to: world.host.instance },
    );
    const answers = await Promise.all(ask.map((one) => world.send(one)));
    expect(answers.map((answer) => answer.kind)).toEqual(Array(5).fill('ran'));
    expect(await reply).toMatchObject({ value: { kind: 'reconnected', report: { status: 'ready' } } });
  });

  it('tries a server without keeping it', async () => {
    const trial = async (config: Parameters<typeof scripted>[1], connectIt = true): Promise<unknown> => {
      const full = { ...scripted(), ...config };
      const reply = await world.registry.ask(tryServer, {
        tenant,
        name: 'trial',
        config: ServerConfig.parse(full),
        connect: connectIt,
      });
      return reply.kind === 'answered' ? reply.value : reply;
    };
    expect(await trial({})).toMatchObject({ kind: 'connected', tool_count: 14 });
    expect(await trial({ env: { A: '${NO_SUCH_1}', B: '${NO_SUCH_2}${UAR_JWT_SECRET:-x}' } }, false)).toEqual(
      {
        kind: 'placeholder_unresolved',
        missing: ['NO_SUCH_1', 'NO_SUCH_2', 'UAR_JWT_SECRET'],
      },
    );
    expect(await trial({ env: { A: '${NO_SUCH:-fallback}' } }, false)).toEqual({ kind: 'resolved' });
    expect(await trial({ placement: 'per_principal' })).toMatchObject({ kind: 'connected', tool_count: 14 });
    const failed = await trial({
      command: '/bin/sh',
      args: ['-c', 'echo "bad token $TOKEN" >&2; exit 4'],
      env: { TOKEN: 'planted-token' },
    });
    expect(failed).toMatchObject({
      kind: 'connect_failed',
      message: expect.stringContaining('bad token ***'),
    });
    expect(world.report('trial')).toBeUndefined();
  });

  it('gives a child the configured values and none of our own', async () => {
    const env = JSON.parse(await world.textOf('main', 'env')) as Record<string, string>;
    expect(env['PLANTED']).toBe('s3cret-value');
    expect(Object.keys(env).filter((name) => name.startsWith('UAR_') || name.startsWith('VITEST'))).toEqual([
      'UAR_CHILD_MARKER',
    ]);
    expect(env['HOME']).toMatch(new RegExp(`^${world.folder}/homes/`));
  });
});
