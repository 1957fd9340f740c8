import { afterAll, beforeAll, expect } from 'vitest';
import { admin, clientOf, decide, eventually, pendingApproval, receiptOf, toolListed } from '../../client.js';
import { keeps } from '../../keeps.js';
import { type Bus, createCounters, fixtureServer, onBothBuses } from '../../on-both-buses.js';

const counters = createCounters();
afterAll(() => counters.remove());

const config = (bus: Bus): Record<string, unknown> => ({
  limits: { result_kb: 2048 },
  mcp: {
    servers: {
      fix: fixtureServer({ COUNT_FILE: counters[bus].file }, { timeout_ms: 1500 }),
      dead: { transport: 'stdio', command: 'no-such-command-anywhere' },
    },
  },
});

onBothBuses(
  'calls',
  (bus) => ({ config: config(bus) }),
  (product, bus) => {
    beforeAll(async () => {
      await toolListed(clientOf(product()), 'fix__count');
    });
    const counted = (): string[] => counters[bus].executions();

    keeps(['call.completed'], 'a call completes with outcome, effect and receipt', async () => {
      const client = clientOf(product());
      const { status, body } = await client.execute('fix__count', { id: 'one' });
      expect(status).toBe(200);
      expect(body).toMatchObject({
        outcome: 'completed',
        effect: 'ran',
        success: true,
        error: null,
        result: { content: [{ type: 'text', text: 'counted one' }] },
        decision: { kind: 'allow' },
      });
      expect(await receiptOf(client, body)).toMatchObject({
        seq: expect.any(Number),
        hash: expect.stringMatching(/^sha256:/),
      });
      expect(counted().filter((id) => id === 'one')).toHaveLength(1);
    });

    keeps(['call.tool-error'], 'a tool that reports its own failure is a tool_error', async () => {
      const { status, body } = await clientOf(product()).execute('fix__fail');
      expect(status).toBe(200);
      expect(body).toMatchObject({
        outcome: 'tool_error',
        effect: 'ran',
        success: false,
        error: null,
        result: { isError: true },
      });
    });

    keeps(['call.upstream-error'], 'a JSON-RPC error of the upstream is an upstream_error', async () => {
      const { status, body } = await clientOf(product()).execute('fix__rpc_error');
      expect(status).toBe(502);
      expect(body).toMatchObject({
        outcome: 'upstream_error',
        effect: 'may_have_run',
        success: false,
        result: null,
      });
    });

    keeps(
      ['call.invalid-arguments'],
      'arguments that do not fit the schema never reach the tool',
      async () => {
        const before = counted().length;
        const { status, body } = await clientOf(product()).execute('fix__count', { id: 7 });
        expect(status).toBe(400);
        expect(body).toMatchObject({
          outcome: 'invalid_arguments',
          effect: 'did_not_run',
          error: { code: 'invalid_arguments' },
        });
        expect(JSON.stringify(body['error'])).toContain('/id');
        expect(counted()).toHaveLength(before);
      },
    );

    keeps(['call.exact-arguments'], 'the argument text reaches the upstream unchanged', async () => {
      const client = clientOf(product());
      const sent = async (text: string): Promise<string> => {
        const raw = `{ "arguments": ${text.replaceAll(',', ' ,\n ')} }`;
        const call = client.request('/api/tools/fix__raw/execute', { raw });
        if (text.includes('9007')) await decide(client, await pendingApproval(client, 'fix__raw'), 'approve');
        const frame = JSON.parse((await call).text) as { result: { content: { text: string }[] } };
        return frame.result.content[0]?.text ?? '';
      };
      const texts = [
        '{"z":1,"a":{"exp":1.50e2,"s":"\\u00e9\\ud83d\\ude00 x"},"m":[1,2.0]}',
        // What no policy can read exactly does not run unattended.
        '{"z":1,"big":9007199254740993,"a":2}',
      ];
      for (const text of texts) expect(await sent(text)).toContain(`"arguments":${text}`);
    });

    keeps(['call.exact-result'], 'a result arrives as the upstream sent it', async () => {
      const { text, status } = await clientOf(product()).execute('fix__odd');
      expect(status).toBe(200);
      expect(text).toContain('{"type":"hologram","voxels":12345678901234567890}');
      expect(text).toContain('"structuredContent":{"big":9007199254740993,"exponent":1e400,"z":1,"a":false}');
      expect(text).toContain('"priority":0.50');
      expect(text).toContain('"future":null');
    });

    keeps(['call.large-result'], 'a result larger than a bus message arrives whole', async () => {
      const { body, status } = await clientOf(product()).execute('fix__big', { bytes: 1_500_000 });
      expect(status).toBe(200);
      const content = (body['result']?.['content'] ?? []) as unknown as { text: string }[];
      expect(content[0]?.text).toHaveLength(1_500_000);
    });

    keeps(['call.result-too-large'], 'a result over the cap is named, and the next call works', async () => {
      const { body, status } = await clientOf(product()).execute('fix__big', { bytes: 3_000_000 });
      expect({ status, outcome: body['outcome'], effect: body['effect'] }).toEqual({
        status: 502,
        outcome: 'result_too_large',
        effect: 'ran',
      });
      expect((await clientOf(product()).execute('fix__count', { id: 'after-big' })).status).toBe(200);
    });

    keeps(['call.timeout'], 'no answer in time is a timeout that ran at most once', async () => {
      const { body, status } = await clientOf(product()).execute('fix__hang');
      expect({ status, outcome: body['outcome'], effect: body['effect'] }).toEqual({
        status: 504,
        outcome: 'timeout',
        effect: 'may_have_run',
      });
      expect(counted().filter((id) => id === 'hang')).toHaveLength(1);
    });

    keeps(['call.transport-failure'], 'an upstream that dies mid-call fails that call alone', async () => {
      const client = clientOf(product());
      const { body, status } = await client.execute('fix__die');
      expect({ status, outcome: body['outcome'], effect: body['effect'] }).toEqual({
        status: 502,
        outcome: 'transport_failure',
        effect: 'may_have_run',
      });
      expect(counted().filter((id) => id === 'die')).toHaveLength(1);
      const after: number[] = [];
      for (let call = 0; call < 40; call += 1)
        after.push((await client.execute('fix__count', { id: 'after-death' })).status);
      expect(new Set(after)).toEqual(new Set([200]));
    });

    keeps(['call.async'], 'respond-async answers 202 and the call resource shows the end', async () => {
      const client = clientOf(product());
      const started = await client.execute(
        'fix__count',
        { id: 'async', wait_ms: 300 },
        { prefer: 'respond-async' },
      );
      expect(started.status).toBe(202);
      expect(started.headers.get('preference-applied')).toBe('respond-async');
      expect(started.body).toMatchObject({ outcome: 'pending', effect: null, result: null, success: false });
      const location = started.headers.get('location') ?? '';
      const ended = await eventually(async () => {
        const answer = await client.get(new URL(location, product().gateway).pathname);
        return answer.status === 200 ? answer : undefined;
      });
      expect(ended.body).toMatchObject({
        outcome: 'completed',
        result: { content: [{ text: 'counted async' }] },
      });
    });

    keeps(['call.idempotency'], 'an idempotency key executes once', async () => {
      const client = clientOf(product());
      const key = { 'idempotency-key': `key-${bus}` };
      const first = await client.execute('fix__count', { id: 'keyed' }, key);
      const second = await client.execute('fix__count', { id: 'keyed' }, key);
      const other = await client.execute('fix__count', { id: 'other' }, key);
      expect([first.status, second.status, other.status]).toEqual([200, 200, 422]);
      expect(second.body['call_id']).toBe(first.body['call_id']);
      expect(second.body['result']).toEqual(first.body['result']);
      expect(counted().filter((id) => id === 'keyed')).toHaveLength(1);
    });

    keeps(['tools.unknown'], 'a name that does not exist is unknown_tool', async () => {
      const { status, body } = await clientOf(product()).execute('fix__nothing');
      expect(status).toBe(404);
      expect(body).toMatchObject({
        outcome: 'unknown_tool',
        effect: 'did_not_run',
        decision: null,
        approval: null,
        receipt: null,
      });
    });

    keeps(['tools.callable'], 'every advertised name is callable, and only those', async () => {
      const client = clientOf(product());
      const { body } = await client.get('/api/tools?server=fix');
      const names = (body['tools'] as unknown as { name: string }[]).map(({ name }) => name);
      expect(names).toEqual([...names].sort());
      expect(names).toHaveLength(9);
      for (const name of names.filter((each) => !/die|hang|big|write/.test(each))) {
        const { body: call } = await client.execute(name);
        expect(call['outcome'], name).not.toBe('unknown_tool');
      }
      expect((await client.execute('fix__Count')).status).toBe(404);
    });

    keeps(['servers.dead'], 'a dead upstream is named beside the tools of the others', async () => {
      const client = clientOf(product(), admin);
      const { body } = await client.get('/api/tools');
      const incomplete = body['incomplete'] as unknown as { server: string; reason: string }[];
      expect(incomplete.map(({ server }) => server)).toContain('dead');
      const { body: health } = await client.get('/api/uar/mcp/health');
      const servers = health['servers'] as unknown as { name: string; status: string }[];
      expect(servers.map(({ name }) => name)).toEqual(['dead', 'fix']);
      expect(servers.find(({ name }) => name === 'fix')?.status).toBe('ready');
      expect(servers.find(({ name }) => name === 'dead')?.status).not.toBe('ready');
    });
  },
);
