import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Gateway, until } from './gateway.fixture.js';

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
    expect(gateway.neighbours.receipts.at(-1)?.run_id).toBe(runId());
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
    const other = await connected();
    await patch({ tools: { mode: 'none' } });
    await until(() => changes === 1);
    expect(await names()).toContain('srv__echo');
    await other.close();
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
