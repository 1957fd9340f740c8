import {
  Client as StatelessClient,
  StreamableHTTPClientTransport as StatelessTransport,
} from '@modelcontextprotocol/client';
import { Client as SessionClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { StatelessServer, statelessStdio, type Product } from '@uar/testkit';
import { afterAll, beforeAll, expect } from 'vitest';
import { admin, clientOf, eventually, outcomesOf, toolListed } from '../../client.js';
import { keeps } from '../../keeps.js';
import { createCounters, onBothBuses, type Bus } from '../../on-both-buses.js';

const capabilities = { sampling: {}, elicitation: { form: {} }, roots: {} };
const named = (name: string) => ({ action: 'accept' as const, content: { name } });
const roots = (name: string) => ({ roots: [{ uri: `file:///home/${name}`, name }] });
const sampled = (model: string) => ({
  ...{ model, role: 'assistant' as const },
  content: { type: 'text' as const, text: `I am ${model}` },
});
const era = { session: '2025-11-25', stateless: '2026-07-28' } as const;

interface Person {
  call(name: string, args?: Record<string, unknown>): Promise<{ text: string; callId: string }>;
  read(uri: string): Promise<string>;
  close(): Promise<void>;
}

const addressOf = (product: Product, server: string) => ({
  url: new URL(`${product.gateway}/mcp/servers/${server}`),
  requestInit: { headers: { authorization: `Bearer ${product.token(admin)}` } },
});

interface AnyClient {
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<object>;
  readResource(resource: { uri: string }): Promise<object>;
  close(): Promise<void>;
}

function personOf(client: AnyClient): Person {
  return {
    async call(name, args = {}) {
      const result = (await client.callTool({ name, arguments: args })) as {
        content: [{ text: string }];
        _meta: { 'io.uar/call': { call_id: string } };
      };
      expect(result._meta['io.uar/call']).toMatchObject({ outcome: 'completed', effect: 'ran' });
      return { text: result.content[0].text, callId: result._meta['io.uar/call'].call_id };
    },
    read: async (uri) => JSON.stringify(await client.readResource({ uri })),
    close: () => client.close(),
  };
}

async function withSession(product: Product, server: string, name: string): Promise<Person> {
  const client = new SessionClient({ name, version: '1' }, { capabilities });
  client.setRequestHandler(ElicitRequestSchema, () => named(name));
  client.setRequestHandler(ListRootsRequestSchema, () => roots(name));
  client.setRequestHandler(CreateMessageRequestSchema, () => sampled(name));
  const { url, requestInit } = addressOf(product, server);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  return personOf(client);
}

async function withoutSession(product: Product, server: string, name: string): Promise<Person> {
  const versionNegotiation = { mode: { pin: era.stateless } };
  const client = new StatelessClient({ name, version: '1' }, { capabilities, versionNegotiation });
  client.setRequestHandler('elicitation/create', () => named(name));
  client.setRequestHandler('roots/list', () => roots(name));
  client.setRequestHandler('sampling/createMessage', () => sampled(name));
  const { url, requestInit } = addressOf(product, server);
  await client.connect(new StatelessTransport(url, { requestInit }));
  return personOf(client);
}

const counters = createCounters();
const http = new Map<Bus, StatelessServer>();
beforeAll(async () => {
  for (const bus of ['inprocess', 'nats'] as const)
    http.set(bus, await StatelessServer.start({ countFile: counters[bus].file }));
});
afterAll(async () => {
  await Promise.all([...http.values()].map((upstream) => upstream.stop()));
  counters.remove();
});

onBothBuses(
  'upstreams without sessions',
  (bus) => {
    const more = {
      placement: 'per_principal',
      tools: { overrides: { '*': { read_only: true, open_world: false } } },
    };
    return {
      config: {
        mcp: {
          allowed_private_networks: ['127.0.0.0/8'],
          servers: {
            pipe: { ...statelessStdio({ countFile: counters[bus].file }), ...more },
            web: { transport: 'streamable_http', url: http.get(bus)?.url, ...more },
          },
        },
      },
    };
  },
  (product, bus) => {
    beforeAll(async () => {
      for (const server of ['pipe', 'web']) await toolListed(clientOf(product()), `${server}__greet`);
    }, 60_000);

    for (const server of ['pipe', 'web'])
      for (const [kind, connect] of [
        ['session', withSession],
        ['stateless', withoutSession],
      ] as const)
        keeps(
          ['mcp.upstream-eras', 'mcp.real-clients'],
          `${server} serves a client of ${era[kind]}, and asks it what it needs to know`,
          async () => {
            const name = `${server}-${kind}`;
            const person = await connect(product(), server, name);
            expect(await person.call('count', { id: name })).toMatchObject({ text: `counted ${name}` });
            const greeted = await person.call('greet', { id: `greet-${name}` });
            expect(greeted.text).toBe(`hello ${name}, é "greet-${name}" \\ \u2028`);
            const ran = counters[bus].executions().filter((each) => each.includes(name));
            expect(ran).toEqual([name, `greet-${name}`]);
            const outcomes = await eventually(async () => {
              const found = await outcomesOf(clientOf(product()), greeted.callId);
              return found.length > 0 ? found : undefined;
            });
            expect(outcomes).toHaveLength(1);
            expect((await person.call('interview')).text).toContain(`I am ${name}`);
            expect(await person.read('test://a')).toContain('"text":"a"');
            expect(await person.read('test://who')).toContain(name);
            await person.close();
          },
          60_000,
        );
  },
);
