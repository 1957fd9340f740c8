// An MCP server over stdio with resources, prompts and a will of its own: it asks, logs and tells whatever a tool is called to.
import { createInterface } from 'node:readline';

const { silent = false, pageSize = 2 } = JSON.parse(process.argv[2] ?? '{}');
const write = (line) => process.stdout.write(`${line}\n`);
const send = (message) => write(JSON.stringify({ jsonrpc: '2.0', ...message }));
const result = (id, value) => send({ id, result: value });
const said = (value) => ({
  content: [{ type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) }],
});
const tell = (method, params) => send({ method, ...(params === undefined ? {} : { params }) });

const resources = ['test://a', 'test://b', 'test://c'];
const prompts = ['greet'];
const subscribed = [];
/** What was asked of the client, by id: what to do with the answer's line. */
const asked = new Map();
const counts = { resources: 0, prompts: 0 };
let capabilities = {};
let level = null;
let nextId = 0;

const state = () => ({
  ...{
    pid: process.pid,
    home: process.env.HOME,
    capabilities,
    level,
    subscribed,
    counts,
    waiting: asked.size,
  },
});

function ask(method, paramsText, then) {
  nextId += 1;
  const id = `ask-${nextId}`;
  asked.set(id, then);
  write(`{"jsonrpc":"2.0","id":"${id}","method":"${method}","params":${paramsText}}`);
  return id;
}

const tools = {
  state: (id) => result(id, said(state())),
  add(id, { resource, prompt }) {
    if (resource !== undefined) resources.push(resource);
    if (prompt !== undefined) prompts.push(prompt);
    if (!silent) tell(`notifications/${resource === undefined ? 'prompts' : 'resources'}/list_changed`);
    result(id, said('added'));
  },
  touch(id, { uri, times = 1 }) {
    for (let count = 0; count < times; count += 1)
      if (subscribed.includes(uri)) tell('notifications/resources/updated', { uri });
    result(id, said('touched'));
  },
  log(id, { levels, size = 0, times = 1 }) {
    for (let count = 0; count < times; count += 1)
      for (const one of levels)
        tell('notifications/message', { level: one, data: `${one}${'x'.repeat(size)}` });
    result(id, said('logged'));
  },
  complete(id, { elicitationId }) {
    tell('notifications/elicitation/complete', { elicitationId });
    result(id, said('completed'));
  },
  ask: (id, { method, params }) => ask(method, params, (line) => result(id, said(line))),
  /** Cannot go on without an answer. */
  need: (id, { method, params }) =>
    ask(method, params, () => send({ id, error: { code: -1, message: 'none' } })),
  /** Asks and takes it back once the tool `give_up` is called. */
  ask_and_wait: (id, { method, params }) =>
    tools.waiting.push([ask(method, params, () => result(id, said('answered'))), id]),
  waiting: [],
  /** Takes back what was asked; the calls go on. */
  take_back(id) {
    for (const [requestId] of tools.waiting) tell('notifications/cancelled', { requestId });
    result(id, said('taken back'));
  },
  give_up(id) {
    for (const [requestId, callId] of tools.waiting.splice(0)) {
      tell('notifications/cancelled', { requestId });
      result(callId, said('given up'));
    }
    result(id, said('done'));
  },
  ping: (id) => ask('ping', '{}', (line) => result(id, said(line))),
  never: (id, _args, params) =>
    tell('notifications/progress', { progressToken: params._meta?.progressToken, progress: 0 }),
  exit: () => process.exit(1),
};

function page(id, member, all, cursor) {
  const start = Number(cursor ?? 0);
  const end = start + pageSize;
  result(id, { [member]: all.slice(start, end), ...(end < all.length ? { nextCursor: String(end) } : {}) });
}

const methods = {
  initialize(id, params) {
    capabilities = params.capabilities;
    const tells = silent ? {} : { listChanged: true };
    result(id, {
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {}, resources: { subscribe: true, ...tells }, prompts: tells, logging: {} },
      serverInfo: { name: 'items', version: '1' },
    });
  },
  ping: (id) => result(id, {}),
  'tools/list': (id) =>
    result(id, {
      tools: Object.keys(tools)
        .filter((name) => name !== 'waiting')
        .map((name) => ({ name, inputSchema: { type: 'object' } })),
    }),
  'tools/call': (id, params) => tools[params.name](id, params.arguments, params),
  'resources/list'(id, params) {
    counts.resources += 1;
    page(
      id,
      'resources',
      resources.map((uri) => ({ uri, name: uri, big: 1.5 })),
      params?.cursor,
    );
  },
  'resources/templates/list': (id) =>
    result(id, { resourceTemplates: [{ uriTemplate: 'test://t/{id}', name: 't' }] }),
  'prompts/list'(id, params) {
    counts.prompts += 1;
    page(
      id,
      'prompts',
      prompts.map((name) => ({ name })),
      params?.cursor,
    );
  },
  'resources/read'(id, { uri, _meta }, line) {
    if (uri === 'test://never') return;
    if (_meta !== undefined)
      tell('notifications/progress', { progressToken: _meta.progressToken, progress: 1, of: 'reading' });
    write(
      `{"jsonrpc":"2.0","id":${id},"result":{"contents":[],"big":9007199254740993,"line":${JSON.stringify(line)}}}`,
    );
  },
  'prompts/get': (id, _params, line) => result(id, { messages: [], line }),
  'completion/complete': (id) => result(id, { completion: { values: ['one'] } }),
  'resources/subscribe'(id, { uri }) {
    subscribed.push(uri);
    result(id, {});
  },
  'resources/unsubscribe'(id, { uri }) {
    subscribed.splice(subscribed.indexOf(uri), 1);
    result(id, {});
  },
  'logging/setLevel'(id, params) {
    level = params.level;
    result(id, {});
  },
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === undefined) {
    asked.get(id)?.(line);
    asked.delete(id);
  } else if (id !== undefined) {
    if (Object.hasOwn(methods, method)) methods[method](id, params, line);
    else send({ id, error: { code: -32601, message: 'Method not found' } });
  }
});
