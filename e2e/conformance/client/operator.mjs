// Does what a scenario of the suite's client side wants, with the product in the place of the client: registers the suite's server by
// API, and is an MCP client of the product that uses what the server has.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { Client } from '@modelcontextprotocol/sdk/client';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const readyMs = 20_000;
const capabilities = { elicitation: { form: { applyDefaults: true } } };

/** What each scenario wants of its server; nothing by name: the tools are listed. */
const uses = {
  tools_call: (client) => client.callTool({ name: 'add_numbers', arguments: { a: 5, b: 3 } }),
  'sse-retry': (client) => client.callTool({ name: 'test_reconnection', arguments: {} }),
  'elicitation-sep1034-client-defaults': (client) =>
    client.callTool({ name: 'test_client_elicitation_defaults', arguments: {} }),
  'json-schema-2020-12-preservation': (client, tools) => {
    const { inputSchema: schema } = tools.find(({ name }) => name !== 'json_schema_echo');
    return client.callTool({ name: 'json_schema_echo', arguments: { schema } });
  },
};

/** `url`: where the suite's command (command.mjs) posts what it is run with. */
export async function startOperator(product) {
  const server = createServer((request, response) => {
    void json(request)
      .then((wanted) => operate(product, wanted))
      .then(
        (did) => response.end(JSON.stringify(did)),
        (error) => response.writeHead(500).end(`${error.stack}\n${JSON.stringify(error.data ?? '')}`),
      );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function operate(product, { url, scenario }) {
  const name = `s${randomBytes(6).toString('hex')}`;
  const api = apiOf(product);
  const server = `/api/uar/mcp/servers/${name}`;
  await api('PUT', server, {
    transport: 'streamable_http',
    url,
    placement: scenario.startsWith('elicitation') ? 'per_principal' : 'shared',
    tools: { overrides: { '*': { read_only: true, open_world: false } } },
  });
  try {
    await until(async () => (await api('GET', server)).connected);
    // Where a server has no tool, nothing of it is there to be a client of.
    const { tools: names } = await api('GET', server);
    if (names.length === 0) return { tools: [] };
    await until(async () => (await api('GET', `/api/tools?server=${name}`)).tools.length > 0);
    return await using(product, name, async (client) => {
      const { tools } = await client.listTools();
      return { tools, result: await uses[scenario]?.(client, tools) };
    });
  } finally {
    await api('DELETE', server);
  }
}

function apiOf({ gateway, token }) {
  return async (method, path, body) => {
    const headers = { authorization: `Bearer ${token()}`, 'content-type': 'application/json' };
    const answer = await fetch(gateway + path, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return JSON.parse(text);
  };
}

async function until(holds) {
  for (const limit = Date.now() + readyMs; Date.now() < limit;) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('the server was not ready in time');
}

async function using({ gateway, token }, name, use) {
  const client = new Client({ name: 'conformance', version: '1' }, { capabilities });
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: {} }));
  const headers = { authorization: `Bearer ${token()}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${gateway}/mcp/servers/${name}`), {
      requestInit: { headers },
    }),
  );
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}
