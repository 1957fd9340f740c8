import { publicName } from '@uar/catalog';
import type { CatalogEntry } from '@uar/contracts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { entry } from '../domain/call-spec/entry.fixture.js';
import { Gateway, until } from '../http-spec/gateway.fixture.js';
import { RawClient } from './raw-client.fixture.js';

function of(server: string, rawName: string, changes: Partial<CatalogEntry> = {}): CatalogEntry {
  const made = entry('any', { server, raw_name: rawName });
  const definition_json = JSON.stringify({ name: rawName, inputSchema: { type: 'object' } });
  return { ...made, name: publicName(server, rawName), definition_json, ...changes };
}

describe('/mcp/servers/{server}', () => {
  let gateway: Gateway;
  beforeEach(async () => {
    gateway = await Gateway.start();
  });
  afterEach(() => gateway.stop());

  const at = (server: string) => RawClient.open(gateway, { path: `/mcp/servers/${server}` });
  const names = async (client: RawClient) => {
    const { messages } = await client.request('tools/list');
    return Object(messages[0]?.['result'])['tools'].map(({ name }: { name: string }) => name);
  };
  const outcome = async (client: RawClient, name: string) => {
    const { messages } = await client.call(name, { n: 1 });
    const { result, error } = Object(messages[0]);
    return Object(result?._meta ?? error?.data)['io.uar/call'].outcome;
  };

  it('shows one upstream under its raw names', async () => {
    gateway.neighbours.catalogChanged([...gateway.neighbours.entries, of('other', 'echo')]);
    const client = await at('srv');
    expect(await names(client)).toEqual(['echo', 'hidden', 'write']);
    expect(await outcome(client, 'echo')).toBe('completed');
    expect(await outcome(client, 'srv__echo')).toBe('unknown_tool');
    expect(await outcome(client, 'other__echo')).toBe('unknown_tool');
    expect(await names(await at('other'))).toEqual(['echo']);
  });

  it('is governed as /mcp is: the same record but for the call itself', async () => {
    const everywhere = await RawClient.open(gateway);
    await everywhere.call('srv__write', { a: 1 });
    await (await at('srv')).call('write', { a: 1 });
    const { receipts } = gateway.neighbours;
    await until(() => receipts.filter(({ kind }) => kind === 'outcome').length === 2);
    const [one, other] = receipts
      .filter(({ kind }) => kind === 'outcome')
      .map(({ tool, principal, policy_version, outcome: ended, arguments_digest }) => ({
        ...{ tool, principal, policy_version, ended, arguments_digest },
      }));
    expect(other).toEqual(one);
    expect(gateway.neighbours.calls.map(({ raw_name }) => raw_name)).toEqual(['write', 'write']);
  });

  it('lists and calls by name alone what the caller may discover', async () => {
    gateway.neighbours.discovers = ({ labels }) => !labels.includes('secret');
    const client = await at('srv');
    expect(await names(client)).toEqual(['echo', 'write']);
    expect(await outcome(client, 'hidden')).toBe('unknown_tool');
  });

  it('takes no name for a tool whose public name it happens to have', async () => {
    const odd = of('srv', 'o d');
    gateway.neighbours.catalogChanged([odd]);
    const client = await at('srv');
    expect(await outcome(client, odd.name.slice('srv__'.length))).toBe('unknown_tool');
    expect(await outcome(client, 'o d')).toBe('completed');
  });

  it('is not there for whoever may discover none of its tools, and for nobody where there is none', async () => {
    gateway.neighbours.catalogChanged([
      ...gateway.neighbours.entries,
      of('other', 'echo'),
      of('native', 'file_read', { host: 'native' }),
    ]);
    gateway.neighbours.discovers = ({ server }) => server !== 'other';
    const answers = await Promise.all(
      ['other', 'nothing', 'native', 'srv%2Fecho'].map(async (server) => {
        const client = new RawClient(gateway, { path: `/mcp/servers/${server}` });
        const { status, text } = await client.initialize();
        expect((await client.send('GET')).status).toBe(404);
        expect((await client.send('DELETE', { 'mcp-session-id': 'x' })).status).toBe(404);
        return `${status} ${text}`;
      }),
    );
    const unknown = await gateway.ask('POST', '/mcp/nothing', { body: {} });
    expect(new Set(answers)).toEqual(new Set([`${unknown.status} ${unknown.text}`]));
  });

  it('answers 503 while nobody can say what may be discovered', async () => {
    await gateway.neighbours.stopPdp();
    const client = new RawClient(gateway, { path: '/mcp/servers/srv' });
    expect((await client.initialize()).status).toBe(503);
  });

  it('shares no session with /mcp or another upstream', async () => {
    gateway.neighbours.catalogChanged([...gateway.neighbours.entries, of('other', 'echo')]);
    const opened = [await RawClient.open(gateway), await at('srv'), await at('other')];
    for (const here of opened)
      for (const there of opened) {
        const { session = '' } = there;
        const { status } = await here.post(
          { jsonrpc: '2.0', id: 1, method: 'ping' },
          { 'mcp-session-id': session },
        );
        expect(status).toBe(here === there ? 200 : 404);
      }
  });
});
