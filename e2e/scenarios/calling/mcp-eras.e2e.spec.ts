import { Client as McpClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { repositoryDir, type Product, type TokenOptions } from '@uar/testkit';
import { afterAll, beforeAll, expect } from 'vitest';
import { join } from 'node:path';
import { admin, clientOf, toolListed, user } from '../../client.js';
import { keeps } from '../../keeps.js';
import { onBothBuses } from '../../on-both-buses.js';

/** A server of others that knows the sessions of 2025-11-25 alone; nobody is there to approve. */
const everything = {
  transport: 'stdio',
  command: process.execPath,
  args: [join(repositoryDir, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js'), 'stdio'],
  placement: 'per_principal',
  tools: { overrides: { '*': { read_only: true, destructive: false, open_world: false } } },
};
const conformance = { ...everything, args: [join(repositoryDir, 'e2e/conformance/upstream/main.mjs')] };

interface Person {
  readonly client: McpClient;
  readonly asked: string[];
}

/** The SDK's own client of 2026-07-28, which answers in its own name and goes on by itself. */
async function person(
  product: Product,
  name: string,
  {
    who = admin,
    capabilities = { sampling: {}, elicitation: { form: {}, url: {} }, roots: {} } as object,
  }: {
    who?: TokenOptions;
    capabilities?: object;
  } = {},
): Promise<Person> {
  const client = new McpClient(
    { name, version: '1.0.0' },
    { capabilities, versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  const asked: string[] = [];
  if ('sampling' in capabilities)
    client.setRequestHandler('sampling/createMessage', ({ method }) => {
      asked.push(method);
      return {
        model: name,
        role: 'assistant' as const,
        content: { type: 'text' as const, text: `I am ${name}` },
      };
    });
  if ('elicitation' in capabilities)
    client.setRequestHandler('elicitation/create', ({ method }) => {
      asked.push(method);
      return { action: 'accept' as const, content: { name, color: 'blue', ok: true, context: name } };
    });
  if ('roots' in capabilities)
    client.setRequestHandler('roots/list', ({ method }) => {
      asked.push(method);
      return { roots: [{ uri: `file:///home/${name}`, name }] };
    });
  const headers = { authorization: `Bearer ${product.token(who)}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${product.gateway}/mcp`), { requestInit: { headers } }),
  );
  return { client, asked };
}

onBothBuses(
  'clients without sessions and upstreams with them',
  () => ({ config: { mcp: { servers: { all: everything, conf: conformance } } } }),
  (product) => {
    const people: Person[] = [];
    const personOf = async (...[name, more]: [string, Parameters<typeof person>[2]?]): Promise<Person> => {
      const one = await person(product(), name, more);
      people.push(one);
      return one;
    };
    beforeAll(async () => {
      for (const tool of ['all__trigger-sampling-request', 'conf__test_simple_text'])
        await toolListed(clientOf(product()), tool);
    }, 60_000);
    afterAll(async () => {
      await Promise.all(people.map(({ client }) => client.close()));
    });
    const call = async (
      { client }: Person,
      name: string,
      args: Record<string, unknown> = {},
    ): Promise<string> => {
      const result = await client.callTool({ name, arguments: args });
      expect(result._meta?.['io.uar/call']).toMatchObject({ outcome: 'completed', effect: 'ran' });
      return JSON.stringify(result.content);
    };

    keeps(
      ['mcp.stateless-asks', 'mcp.seat', 'mcp.real-clients'],
      'an upstream asks the client that called, of three at once that are two principals, and no other',
      async () => {
        const three = [await personOf('one'), await personOf('two'), await personOf('three', { who: user })];
        const said = await Promise.all(
          three.map((each) => call(each, 'all__trigger-sampling-request', { prompt: 'who are you?' })),
        );
        for (const [index, name] of ['one', 'two', 'three'].entries()) {
          expect(said[index]).toContain(`I am ${name}`);
          expect(three[index]?.asked).toEqual(['sampling/createMessage']);
        }
        const [one] = three;
        if (one === undefined) throw new Error('nobody is there');
        expect(await call(one, 'all__trigger-elicitation-request')).toContain(
          'provided the requested information',
        );
        expect(await call(one, 'all__get-roots-list')).toContain('file:///home/one');
      },
      60_000,
    );

    keeps(
      ['mcp.stateless-asks'],
      'what is asked at once is answered at once, what is asked in turn in as many requests, for prompts as well',
      async () => {
        const one = await personOf('one');
        const said = await call(one, 'conf__test_input_required_result_multiple_inputs');
        for (const part of ['I am one', 'file:///home/one', 'accept']) expect(said).toContain(part);
        expect(one.asked).toHaveLength(3);
        expect(await call(one, 'conf__test_input_required_result_multi_round')).toContain('one likes blue');
        expect(one.asked).toHaveLength(5);
        const { messages } = await one.client.getPrompt({ name: 'conf__test_input_required_result_prompt' });
        expect(JSON.stringify(messages)).toContain('In the context of one');
      },
    );

    keeps(
      ['mcp.stateless-asks', 'mcp.logging'],
      'a client is asked for nothing that it did not declare, and is told what it would have to',
      async () => {
        const mute = await personOf('mute', { capabilities: {} });
        await expect(
          mute.client.callTool({ name: 'conf__test_missing_capability', arguments: {} }),
        ).rejects.toMatchObject({ code: -32_021 });
        const one = await personOf('one');
        const heard: unknown[] = [];
        one.client.setNotificationHandler(
          'notifications/message',
          ({ params }) => void heard.push(params.data),
        );
        await call(one, 'conf__test_tool_with_logging');
        expect(heard).toEqual([]);
        await one.client.callTool({
          ...{ name: 'conf__test_tool_with_logging', arguments: {} },
          _meta: { 'io.modelcontextprotocol/logLevel': 'info' },
        });
        expect(heard).toHaveLength(3);
      },
    );
  },
);
