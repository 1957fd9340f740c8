import { Client as McpClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { repositoryDir, type Product, type TokenOptions } from '@uar/testkit';
import { afterAll, beforeAll, expect } from 'vitest';
import { join } from 'node:path';
import { admin, clientOf, eventually, toolListed, user } from '../../client.js';
import { keeps } from '../../keeps.js';
import { onBothBuses } from '../../on-both-buses.js';

const everything = {
  transport: 'stdio',
  command: process.execPath,
  args: [join(repositoryDir, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js'), 'stdio'],
  placement: 'per_principal',
  // Nobody is there to approve.
  tools: { overrides: { '*': { read_only: true, destructive: false, open_world: false } } },
};

interface Person {
  readonly client: McpClient;
  /** What it was asked for, by method. */
  readonly asked: string[];
  readonly heard: string[];
}

/** A client that answers in its own name. */
async function person(product: Product, name: string, who: TokenOptions, path = '/mcp'): Promise<Person> {
  const capabilities = { sampling: {}, elicitation: { form: {}, url: {} }, roots: {} };
  const client = new McpClient({ name, version: '1.0.0' }, { capabilities });
  const asked: string[] = [];
  const heard: string[] = [];
  client.setRequestHandler(CreateMessageRequestSchema, ({ method }) => {
    asked.push(method);
    return {
      model: name,
      role: 'assistant' as const,
      content: { type: 'text' as const, text: `I am ${name}` },
    };
  });
  client.setRequestHandler(ElicitRequestSchema, ({ params: { mode = 'form' } }) => {
    asked.push(mode);
    return { action: 'accept' as const, ...(mode === 'form' && { content: { name } }) };
  });
  client.setRequestHandler(ListRootsRequestSchema, ({ method }) => {
    asked.push(method);
    return { roots: [{ uri: `file:///home/${name}`, name }] };
  });
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params: { data } }) => {
    heard.push(String(data));
  });
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params: { uri } }) => {
    heard.push(`updated ${uri}`);
  });
  const headers = { authorization: `Bearer ${product.token(who)}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${product.gateway}${path}`), { requestInit: { headers } }),
  );
  return { client, asked, heard };
}

onBothBuses(
  'features of mcp',
  () => ({ config: { mcp: { servers: { all: everything } } } }),
  (product) => {
    const people: Record<string, Person> = {};
    const of = (name: string): Person => {
      const found = people[name];
      if (found === undefined) throw new Error(name);
      return found;
    };
    beforeAll(async () => {
      await toolListed(clientOf(product()), 'all__trigger-sampling-request');
      people['one'] = await person(product(), 'one', admin);
      people['two'] = await person(product(), 'two', admin);
      people['three'] = await person(product(), 'three', user);
      people['own'] = await person(product(), 'own', admin, '/mcp/servers/all');
    }, 60_000);
    afterAll(async () => {
      await Promise.all(Object.values(people).map(({ client }) => client.close()));
    });

    const call = async (name: string, tool: string, args: Record<string, unknown> = {}): Promise<string> => {
      const result = await of(name).client.callTool({ name: `all__${tool}`, arguments: args });
      expect(result._meta?.['io.uar/call']).toMatchObject({ outcome: 'completed' });
      return JSON.stringify(result.content);
    };

    keeps(
      ['mcp.asks', 'mcp.seat'],
      'an upstream asks the client that called, of three at once that are two principals, and no other',
      async () => {
        const names = ['one', 'two', 'three'];
        const said = await Promise.all(
          names.map((name) => call(name, 'trigger-sampling-request', { prompt: 'who are you?' })),
        );
        for (const [index, name] of names.entries()) {
          expect(said[index]).toContain(`I am ${name}`);
          expect(of(name).asked.filter((method) => method === 'sampling/createMessage')).toHaveLength(1);
        }
      },
      60_000,
    );

    keeps(['mcp.asks'], 'forms, pages and roots are asked for in the same way', async () => {
      expect(await call('one', 'trigger-elicitation-request')).toContain(
        'User provided the requested information',
      );
      const url = 'https://page.example/';
      expect(await call('one', 'trigger-url-elicitation', { url })).toContain(
        'User completed the URL elicitation',
      );
      expect(of('one').asked).toEqual(expect.arrayContaining(['form', 'url']));
      expect(await call('one', 'get-roots-list')).toContain('file:///home/one');
      expect(await call('three', 'get-roots-list')).toContain('file:///home/three');
    });

    keeps(['mcp.items'], 'resources and prompts are listed, read, got and completed', async () => {
      const { client } = of('one');
      expect(client.getServerCapabilities()).toMatchObject({ resources: { subscribe: true }, prompts: {} });
      const { resources } = await client.listResources();
      const [first] = resources;
      expect(first?.uri).toMatch(/^uar\+all\+demo:\/\//);
      const { contents } = await client.readResource({ uri: first?.uri ?? '' });
      expect(contents[0]?.uri).toBe(first?.uri);
      const { resourceTemplates } = await client.listResourceTemplates();
      const template = resourceTemplates.find(({ uriTemplate }) => uriTemplate.includes('/text/'));
      const uri = template?.uriTemplate.replace('{resourceId}', '7') ?? '';
      const read = await client.readResource({ uri });
      expect(read.contents).toMatchObject([{ uri, text: expect.stringContaining('Resource 7') as string }]);
      expect(read._meta?.['io.uar/call']).toMatchObject({ outcome: 'completed', effect: 'ran' });
      const { prompts } = await client.listPrompts();
      expect(prompts.map(({ name }) => name)).toContain('all__args-prompt');
      const got = await client.getPrompt({ name: 'all__args-prompt', arguments: { city: 'Bern' } });
      expect(JSON.stringify(got.messages)).toContain('Bern');
      const { completion } = await client.complete({
        ref: { type: 'ref/prompt', name: 'all__completable-prompt' },
        argument: { name: 'name', value: 'A' },
        context: { arguments: { department: 'Engineering' } },
      });
      expect(completion.values).toEqual(['Alice']);
    });

    keeps(['mcp.items'], 'an upstream of its own is shown with its own names', async () => {
      const { client } = of('own');
      const { prompts } = await client.listPrompts();
      expect(prompts.map(({ name }) => name)).toContain('args-prompt');
      const uri = 'demo://resource/dynamic/text/3';
      const { contents } = await client.readResource({ uri });
      expect(contents).toMatchObject([{ uri }]);
      await expect(client.readResource({ uri: 'demo://nowhere' })).rejects.toThrow(/not found/i);
    });

    keeps(
      ['mcp.subscriptions', 'mcp.logging'],
      'whoever subscribed hears of updates, and of what its upstream logs for it at its level',
      async () => {
        const uri = 'uar+all+demo://resource/dynamic/text/1';
        const { client, heard } = of('two');
        await client.setLoggingLevel('info');
        await client.subscribeResource({ uri });
        await call('two', 'toggle-subscriber-updates');
        await eventually(() => Promise.resolve(heard.find((text) => text === `updated ${uri}`)));
        await eventually(() => Promise.resolve(heard.find((text) => text.includes('Received Subscribe'))));
        await call('two', 'toggle-subscriber-updates');
        await client.setLoggingLevel('error');
        await client.unsubscribeResource({ uri });
        await call('two', 'echo', { message: 'after' });
        expect(heard.filter((text) => text.includes('Received Unsubscribe'))).toEqual([]);
        for (const name of ['one', 'three'])
          expect(of(name).heard.filter((text) => text.includes('text/1'))).toEqual([]);
      },
    );
  },
);
