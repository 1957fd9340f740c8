// Does what a scenario of the suite's client side wants, with the product in the place of the client: registers the suite's server by
// API, and is an MCP client of the product that uses what the server has.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { Client } from '@modelcontextprotocol/sdk/client';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { agree, authFor } from './account.mjs';

const readyMs = 20_000;
const renewedMs = 3_000;
const maxAgreements = 2;
const mostAtOnce = 6;
/** Scenarios whose servers ask their client for something. */
const asking = /^(?:elicitation|sep-2322)/;
const capabilities = { elicitation: { form: { applyDefaults: true } } };

/** What each scenario wants of its server; of the others the first tool is called. */
const uses = {
  tools_call: (client) => client.callTool({ name: 'add_numbers', arguments: { a: 5, b: 3 } }),
  'sse-retry': (client) => client.callTool({ name: 'test_reconnection', arguments: {} }),
  'elicitation-sep1034-client-defaults': (client) =>
    client.callTool({ name: 'test_client_elicitation_defaults', arguments: {} }),
  'json-schema-2020-12-preservation': (client, tools) => {
    const { inputSchema: schema } = tools.find(({ name }) => name !== 'json_schema_echo');
    return client.callTool({ name: 'json_schema_echo', arguments: { schema } });
  },
  'sep-2322-client-request-state': (client, tools) => callEach(client, tools),
  'http-standard-headers': (client, tools) => useItems(client, tools),
  'http-invalid-tool-headers': (client, tools) => callEach(client, tools),
  'http-custom-headers': (client, _, { context: { toolCalls }, api }) =>
    inTurn(toolCalls.map((call) => () => approved(api, client.callTool(fitting(call))))),
};

const callEach = (client, tools) =>
  inTurn(
    tools.map(({ name, inputSchema: { required = [] } }) => () => {
      const args = Object.fromEntries(required.map((argument) => [argument, 'x']));
      return client.callTool({ name, arguments: args });
    }),
  );

async function inTurn(steps) {
  let last;
  for (const step of steps) {
    last = await step();
    if (last.isError === true) break;
  }
  return last;
}

/** Says yes in the place of a person, wherever the call waits for one: its definition or arguments may look odd. */
async function approved(api, calling) {
  let isOver = false;
  const called = calling.finally(() => (isOver = true));
  called.catch(() => undefined);
  while (!isOver) {
    const { approvals } = await api('GET', '/api/uar/approvals?status=pending');
    for (const { approval_id } of approvals)
      await api('POST', `/api/uar/approvals/${approval_id}/decision`, { decision: 'approve' });
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return await called;
}

/** The gateway takes no null where the schema of the tool has none: such an argument is left out. */
function fitting({ name, arguments: args }) {
  return { name, arguments: Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null)) };
}

async function useItems(client, tools) {
  const { resources } = await client.listResources();
  const { prompts } = await client.listPrompts();
  return await inTurn([
    ...resources.map(
      ({ uri }) =>
        () =>
          client.readResource({ uri }),
    ),
    ...prompts.map(
      ({ name }) =>
        () =>
          client.getPrompt({ name }),
    ),
    () => callEach(client, tools),
  ]);
}

const callFirst = (client, [{ name }]) => client.callTool({ name, arguments: {} });

/** `url`: where the suite's command (command.mjs) posts what it is run with. */
export async function startOperator(product) {
  const atOnce = limiter(mostAtOnce);
  const server = createServer((request, response) => {
    void json(request)
      .then((wanted) => atOnce(() => operate(product, wanted)))
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

/** The suite begins all scenarios together, and measures times in some. */
function limiter(most) {
  const waiting = [];
  let running = 0;
  return async (work) => {
    if (running >= most) await new Promise((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}

async function operate(product, { url, scenario, context }) {
  const name = `s${randomBytes(6).toString('hex')}`;
  const api = apiOf(product);
  const server = `/api/uar/mcp/servers/${name}`;
  const wantsAuth = scenario.startsWith('auth/');
  await api('PUT', `${server}?connect=${!wantsAuth}`, {
    ...{ transport: 'streamable_http', url },
    placement: asking.test(scenario) ? 'per_principal' : 'shared',
    tools: { overrides: { '*': { read_only: true, open_world: false } } },
    ...(wantsAuth && { auth: authFor(scenario, context) }),
  });
  try {
    return await withServer({ product, api, name, server, scenario, context });
  } finally {
    await api('DELETE', server);
  }
}

/** Uses the server; where it turns out that somebody has to agree first, or to more, does that and uses it again. */
async function withServer(place, agreements = 0) {
  const { product, api, name, scenario, server } = place;
  const status = await settled(api, name, agreements > 0);
  if (status === 'ready') {
    const ended = await use(product, api, place);
    if (ended.error === undefined) return ended;
    if (!scenario.startsWith('auth/') || agreements >= maxAgreements) throw ended.error;
  } else if (status !== 'auth_required' || agreements >= maxAgreements)
    throw new Error(`the server is ${status}`);
  await agree(api, server);
  return await withServer(place, agreements + 1);
}

/** The status once it is no passing one; where somebody agreed just now, that of before passes as well. */
async function settled(api, name, hasAgreed) {
  const passing = ['connecting', undefined, ...(hasAgreed ? ['auth_required'] : [])];
  const limit = Date.now() + renewedMs;
  let status;
  await until(async () => {
    const { servers } = await api('GET', '/api/uar/mcp/health');
    status = servers.find((server) => server.name === name)?.status;
    return !passing.includes(status) || (status === 'auth_required' && Date.now() > limit);
  });
  return status;
}

async function use(product, api, { name, server, scenario, context }) {
  // Where a server has no tool, nothing of it is there to be a client of.
  const { tools: names } = await api('GET', server);
  if (names.length === 0) return { tools: [] };
  await until(async () => (await api('GET', `/api/tools?server=${name}`)).tools.length > 0);
  return await using(product, name, async (client) => {
    const { tools } = await client.listTools();
    try {
      const result = await (uses[scenario] ?? callFirst)(client, tools, { context, api });
      return result?.isError === true ? { error: new Error(result.content[0]?.text) } : { tools, result };
    } catch (error) {
      return { error };
    }
  });
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
