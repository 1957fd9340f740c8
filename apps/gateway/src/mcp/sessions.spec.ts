import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Gateway, until } from '../http-spec/gateway.fixture.js';

describe('an MCP session as a run', () => {
  let gateway: Gateway;
  let client: Client;
  let changes: number;
  beforeEach(async () => {
    gateway = await Gateway.start();
    client = await connected();
  });
  afterEach(async () => {
    await client.close();
    await gateway.stop();
  });

  async function connected(): Promise<Client> {
    changes = 0;
    const made = new Client({ name: 'spec', version: '1' });
    made.setNotificationHandler(ToolListChangedNotificationSchema, () => {
      changes += 1;
    });
    const headers = { authorization: `Bearer ${gateway.token()}` };
    await made.connect(
      new StreamableHTTPClientTransport(new URL(`${gateway.url}/mcp`), { requestInit: { headers } }),
    );
    return made;
  }
  const names = async () => (await client.listTools()).tools.map(({ name }) => name);
  const outcome = async (name: string) => {
    const { _meta: meta } = await client.callTool({ name, arguments: {} });
    return Object(meta?.['io.uar/call']).outcome;
  };
  const runId = (): string => [...gateway.neighbours.ledger.runs.keys()].at(-1) ?? '';
  const patch = (turn: object) =>
    gateway.ask('PATCH', `/api/uar/runs/${runId()}`, { body: { scopes: { turn } } });

  it('is one that its principal can look at, and that ends with the session', async () => {
    const view = await gateway.ask('GET', `/api/uar/runs/${runId()}`);
    expect([view.status, view.body['status']]).toEqual([200, 'active']);
    await client.callTool({ name: 'srv__echo', arguments: {} });
    await until(() => gateway.neighbours.receipts.some((receipt) => receipt.run_id === runId()));
    const { transport } = client;
    if (transport instanceof StreamableHTTPClientTransport) await transport.terminateSession();
    await until(() => gateway.neighbours.ledger.runs.get(runId())?.run.status === 'completed');
  });

  it('lists and calls what the run leaves, and is told when that changes', async () => {
    expect(await names()).toContain('srv__write');
    await patch({ tools: { mode: 'selected', ids: ['srv__echo'] } });
    expect(await names()).toEqual(['srv__echo']);
    expect(await outcome('srv__echo')).toBe('completed');
    expect(await outcome('srv__write')).toBe('run_denied');
    await expect(client.callTool({ name: 'srv__nothing', arguments: {} })).rejects.toThrow(/-32602/);
    await until(() => changes === 1);
    const scope = { mcp_servers: { mode: 'none' } };
    await gateway.ask('PUT', '/api/uar/settings/run-policy', { body: scope });
    expect([await names(), await outcome('srv__echo')]).toEqual([[], 'run_denied']);
    await until(() => changes === 2);
  });

  it('is not told of the runs of others', async () => {
    let told = 0;
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
      told += 1;
    });
    // The first opens the stream; what changed before the second is told with it: from then on only the other run changes.
    for (const ids of [['srv__gone'], ['srv__gone', 'srv__lost']]) {
      await patch({ tools: { mode: 'all', denied_ids: ids } });
      const seen = told;
      await until(() => told > seen);
    }
    const other = await connected();
    const before = told;
    await patch({ tools: { mode: 'none' } });
    await until(() => changes > 0);
    expect(told).toBe(before);
    expect(await names()).toContain('srv__echo');
    await other.close();
  });

  it('is told, when it opens its stream, of a change that came before', async () => {
    const headers = {
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${gateway.token()}`,
    };
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'raw', version: '1' },
    };
    const opened = await gateway.ask('POST', '/mcp', {
      ...{ headers, body: { jsonrpc: '2.0', id: 1, method: 'initialize', params } },
    });
    const session = { ...headers, 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
    const ready = { jsonrpc: '2.0', method: 'notifications/initialized' };
    await gateway.ask('POST', '/mcp', { headers: session, body: ready });
    await gateway.ask('POST', '/mcp', {
      ...{ headers: session, body: { jsonrpc: '2.0', id: 2, method: 'tools/list' } },
    });
    await patch({ tools: { mode: 'none' } });
    const stream = await fetch(`${gateway.url}/mcp`, { headers: session });
    const reader = stream.body?.getReader();
    let said = '';
    await until(async () => {
      const chunk = await reader?.read();
      said += new TextDecoder().decode(chunk?.value);
      return said.includes('notifications/tools/list_changed');
    });
    await reader?.cancel();
  });

  it('has no tools once its run is cancelled', async () => {
    await gateway.ask('POST', `/api/uar/runs/${runId()}/cancel`);
    expect([await names(), await outcome('srv__echo')]).toEqual([[], 'run_denied']);
  });

  it('is not opened where it cannot be recorded', async () => {
    await gateway.neighbours.stopLedger();
    await expect(connected()).rejects.toThrow(/recorded/);
  });
});
