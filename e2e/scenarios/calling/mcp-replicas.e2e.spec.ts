import { join } from 'node:path';
import { type Product, type Replica, repositoryDir, startProduct, startReplica } from '@uar/testkit';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { type Body, type Client, admin, clientAt, clientOf, decide, toolListed, user } from '../../client.js';
import { keeps } from '../../keeps.js';
import { buses, createCounters, fixtureServer, ledgerOn } from '../../on-both-buses.js';

const tool = 'fix__write';
/** Asks its client twice, in turn. */
const rounds = 'conf__test_input_required_result_multi_round';
const conformance = {
  ...{ transport: 'stdio', command: process.execPath, placement: 'per_principal' },
  args: [join(repositoryDir, 'e2e/conformance/upstream/main.mjs')],
  tools: { overrides: { '*': { read_only: true, open_world: false } } },
};
const revision = '2026-07-28';
const counters = createCounters();
afterAll(() => counters.remove());

/** A call of a client that opens pages; `more` is what it brings along when it comes back. */
function call(client: Client, id: string, more: object = {}): Promise<Body> {
  return callOf(client, { name: tool, arguments: { id }, ...more });
}

async function callOf(
  client: Client,
  call: { readonly name: string; readonly arguments?: object },
): Promise<Body> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientInfo': { name: 'e2e', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {}, url: {} } },
  };
  const params = { ...call, _meta };
  const { text } = await client.request('/mcp', {
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
    headers: {
      ...{ accept: 'application/json, text/event-stream', 'mcp-protocol-version': revision },
      ...{ 'mcp-method': 'tools/call', 'mcp-name': call.name },
    },
  });
  const lines = text.split('\n').filter((line) => line.startsWith('data:'));
  return JSON.parse(lines.at(-1)?.slice('data:'.length) ?? text) as Body;
}

describe.runIf(buses.includes('nats'))('mcp without sessions at two gateways (nats)', () => {
  let product: Product;
  let first: Replica;
  beforeAll(async () => {
    const servers = { fix: fixtureServer({ COUNT_FILE: counters.nats.file }), conf: conformance };
    const config = { approvals: { mcp_wait_seconds: 60 }, mcp: { servers } };
    product = await startProduct({ bus: 'nats', ledger: ledgerOn('nats'), config });
    first = await startReplica(product, 'gateway');
    for (const url of [product.gateway, first.gateway ?? ''])
      for (const each of [tool, rounds]) await toolListed(clientAt(url, product.token(admin)), each);
  });
  afterAll(async () => {
    await first.kill();
    await product.stop();
  });
  const ran = (id: string): number => counters.nats.executions().filter((each) => each === id).length;
  const atFirst = (): Client => clientAt(first.gateway ?? '', product.token(user));
  const atOther = (): Client => clientOf(product, user);

  /** Proposed at the first gateway, with what its client has to bring along. */
  async function asked(id: string): Promise<{ requestState: string; approval: Body }> {
    const { result } = await call(atFirst(), id);
    expect(result).toMatchObject({ resultType: 'input_required' });
    const requestState = String(result?.['requestState']);
    const [approval_id] = Object.keys(result?.['inputRequests'] ?? {});
    const { body } = await clientOf(product).get(`/api/uar/approvals/${approval_id ?? ''}`);
    return { requestState, approval: body };
  }

  keeps(
    ['mcp.stateless-approval'],
    'a call that one gateway took is carried on at another, decided before its client comes back or while it waits there',
    async () => {
      const before = await asked('decided');
      expect((await decide(clientOf(product), before.approval, 'approve')).status).toBe(200);
      const after = await asked('waiting');
      const waiting = call(atOther(), 'waiting', { requestState: after.requestState });
      const done = await call(atOther(), 'decided', { requestState: before.requestState });
      expect((await decide(clientOf(product), after.approval, 'approve')).status).toBe(200);
      for (const [answer, { approval }] of [
        [done, before],
        [await waiting, after],
      ] as const)
        expect(answer).toMatchObject({
          result: {
            resultType: 'complete',
            _meta: { 'io.uar/call': { outcome: 'completed', call_id: approval['call_id'] } },
          },
        });
      expect([ran('decided'), ran('waiting')]).toEqual([1, 1]);
    },
  );

  keeps(
    ['mcp.stateless-asks'],
    'what an upstream asks in a call that one gateway took is answered at another, once, and by nobody else',
    async () => {
      const bring = ({ result }: Body, content: object): { name: string } => {
        const [key = ''] = Object.keys(result?.['inputRequests'] ?? {});
        const inputResponses = { [key]: { action: 'accept', content } };
        return { name: rounds, ...{ arguments: {}, requestState: result?.['requestState'], inputResponses } };
      };
      const one = await callOf(atFirst(), { name: rounds });
      const two = await callOf(atOther(), bring(one, { name: 'ada' }));
      expect(Object.keys(two.result?.['inputRequests'] ?? {})).toEqual(['step2']);
      const foreign = await callOf(clientOf(product), bring(two, { color: 'red' }));
      expect(foreign).toMatchObject({ error: { code: -32602 } });
      const stale = await callOf(atOther(), bring(one, { name: 'eve' }));
      expect(Object.keys(stale.result?.['inputRequests'] ?? {})).toEqual(['step2']);
      const done = await callOf(atFirst(), bring(two, { color: 'blue' }));
      expect(done).toMatchObject({
        result: { resultType: 'complete', content: [{ text: 'ada likes blue' }] },
      });
    },
  );

  keeps(
    ['mcp.stateless-gateway-dies', 'approval.gateway-dies'],
    'kill -9 of the gateway that holds a call tells the client that waits for it at another one, and nothing runs',
    async () => {
      const { requestState, approval } = await asked('dies');
      const waiting = call(atOther(), 'dies', { requestState });
      const isWaiting = await Promise.race([
        waiting.then(() => false),
        new Promise((resolve) => setTimeout(() => resolve(true), 1_000)),
      ]);
      expect(isWaiting).toBe(true);
      await first.kill();
      const diedAt = performance.now();
      expect(await waiting).toMatchObject({
        error: { code: -32603, message: expect.stringContaining('come back') as string },
      });
      const tookMs = performance.now() - diedAt;
      console.info(`from kill -9 of the gateway to the answer at the other one: ${tookMs.toFixed(0)} ms`);
      expect(tookMs).toBeLessThan(15_000);
      expect(await call(atOther(), 'dies', { requestState })).toMatchObject({ error: { code: -32602 } });
      expect((await decide(clientOf(product), approval, 'approve')).status).toBe(409);
      expect(ran('dies')).toBe(0);
    },
  );
});
