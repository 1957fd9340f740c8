// An MCP server over stdio, written by hand so that it can misbehave. Behaviour: one JSON object as argument.
import { createInterface } from 'node:readline';
import { appendFileSync } from 'node:fs';

const options = JSON.parse(process.argv[2] ?? '{}');
const write = (text) => process.stdout.write(text);
const send = (message) => write(`${JSON.stringify(message)}\n`);
const result = (id, value) => send({ jsonrpc: '2.0', id, result: value });
const text = (value) => ({ content: [{ type: 'text', text: value }] });
const schema = { type: 'object' };
const tool = (name) => ({ name, inputSchema: schema });
const names = [
  'echo',
  'slow',
  'never',
  'late',
  'big',
  'flood',
  'error',
  'number',
  'progress',
  'exit',
  'count',
  'env',
  'cut',
];
let grown = 0;
let executions = 0;
let lists = 0;
const waiting = new Map();

if (options.log !== undefined) appendFileSync(options.log, `start ${process.pid}\n`);
if (options.crash === true) process.exit(3);
if (options.ignoreTerm === true) {
  process.on('SIGTERM', () => {});
  setInterval(() => {}, 1_000);
}
if (options.stderrBytes !== undefined) process.stderr.write('e'.repeat(options.stderrBytes));
if (options.noise === true) write('Server listening...\n{"not": "json-rpc"}\n[]\n{broken\n\n');

/** `pages`: the tool objects of each page, as JSON text. `many`: so many tools of 2 KB, 1,000 on a page. */
function list(id, cursor) {
  lists += 1;
  if (options.many !== undefined) return listMany(id, Number(cursor ?? 0));
  if (options.relist === true)
    setImmediate(() => send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }));
  if (options.pages === undefined)
    return result(id, {
      tools: [...names, 'grow', ...Array.from({ length: grown }, (_, index) => `grown_${index}`)].map(tool),
    });
  const page = Number(cursor ?? 0);
  const isLast = page === options.pages.length - 1;
  const next = isLast ? (options.repeatCursor === true ? '1' : undefined) : String(page + 1);
  const cursorText = next === undefined ? '' : `,"nextCursor":"${next}"`;
  return write(`{"jsonrpc":"2.0","id":${id},"result":{"tools":[${options.pages[page]}]${cursorText}}}\n`);
}

function listMany(id, start) {
  const end = Math.min(start + 1_000, options.many);
  const description = 'what "it" is good for '.repeat(90);
  const tools = Array.from({ length: end - start }, (_, index) => ({
    ...tool(`t${start + index}`),
    description,
  }));
  return result(id, { tools, ...(end === options.many ? {} : { nextCursor: String(end) }) });
}

const begun = (params) => {
  executions += 1;
  const progressToken = params._meta?.progressToken;
  if (progressToken !== undefined)
    send({
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken, progress: 0, begun: true },
    });
};

const tools = {
  echo: (id, params, line) =>
    write(
      `{"result":${JSON.stringify(text(line)).slice(0, -1)},"structuredContent":{"big":9007199254740993,"b":1.50,"a":{"$ref":"#"}},"annotations":{"x":false},"unknown":[1e2]},"jsonrpc":"2.0","id":${id}}\n`,
    ),
  slow: (id, params) => {
    const args = params.arguments;
    begun(params);
    const timer = setTimeout(() => {
      waiting.delete(id);
      result(id, text('slept'));
    }, args.ms);
    waiting.set(id, () => clearTimeout(timer));
  },
  never: (id, params) => {
    begun(params);
    waiting.set(id, () => {});
  },
  late: (id) => waiting.set(id, () => result(id, text('too late'))),
  big: (id, { arguments: args }) => result(id, text('b'.repeat(args.bytes))),
  flood: (id, { arguments: args }) => {
    write(`{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"`);
    for (let sent = 0; sent < args.bytes; sent += 1_000_000) write('f'.repeat(1_000_000));
    write(`"}]}}\n`);
  },
  error: (id) =>
    write(
      `{"jsonrpc":"2.0","id":${id},"error":{"code":-32050,"message":"no such thing","data":{"n":9007199254740993}}}\n`,
    ),
  number: (id) => write(`{"jsonrpc":"2.0","id":${id},"result":5}\n`),
  progress: (id, params) => {
    const token = params._meta?.progressToken;
    const progress = (value) =>
      send({
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken: token, progress: value, total: 3 },
      });
    for (const value of [1, 2, 3]) progress(value);
    setImmediate(() => {
      result(id, { ...text('done'), isError: token === undefined });
      progress(4);
    });
  },
  exit: () => {
    executions += 1;
    process.exit(1);
  },
  grow: (id) => {
    grown += 1;
    send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    result(id, text('grown'));
  },
  count: (id) =>
    result(id, text(JSON.stringify({ executions, lists, waiting: waiting.size, pid: process.pid }))),
  env: (id) => result(id, text(JSON.stringify(process.env))),
  cut: (id) => {
    process.stdout.write(`{"jsonrpc":"2.0","id":${id},"res`, () => process.exit(0));
  },
};

const methods = {
  initialize: (id, params) =>
    setTimeout(
      () =>
        result(id, {
          protocolVersion: params.protocolVersion,
          capabilities: { tools: { listChanged: true } },
          serverInfo: { name: 'scripted', version: '1' },
        }),
      options.initializeMs ?? 0,
    ),
  ping: (id) => result(id, {}),
  'tools/list': (id, params) => list(id, params?.cursor),
  'tools/call': (id, params, line) => tools[params.name](id, params, line),
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'notifications/cancelled') {
    waiting.get(params.requestId)?.();
    waiting.delete(params.requestId);
  } else if (id === undefined || method === undefined) return;
  else if (Object.hasOwn(methods, method)) methods[method](id, params, line);
  else if (options.unknown === 'hang') return;
  else if (options.unknown === 'exit') process.exit(3);
  else send({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } });
});
