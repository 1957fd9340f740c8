import { type Body, type Client, eventually } from './client.js';

const revision = '2026-07-28';
const extension = 'io.modelcontextprotocol/tasks';
const terminal = ['completed', 'failed', 'cancelled'];

/** Names of tools and tasks in the header, and what the request declares. */
async function ask(client: Client, method: string, params: Record<string, unknown>): Promise<Body> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientInfo': { name: 'e2e', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {
      elicitation: { form: {}, url: {} },
      extensions: { [extension]: {} },
    },
  };
  const { text } = await client.request('/mcp', {
    body: { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } },
    headers: {
      ...{ accept: 'application/json, text/event-stream', 'mcp-protocol-version': revision },
      ...{ 'mcp-method': method, 'mcp-name': String(params['taskId'] ?? params['name']) },
    },
  });
  const lines = text.split('\n').filter((line) => line.startsWith('data:'));
  return JSON.parse(lines.at(-1)?.slice('data:'.length) ?? text) as Body;
}

/** A call of a client that knows tasks and opens pages: its result, which a task may be. */
export async function callForTask(client: Client, name: string, args: object = {}): Promise<Body> {
  const { result, error } = await ask(client, 'tools/call', { name, arguments: args });
  if (result === undefined) throw new Error(JSON.stringify(error));
  return result;
}

/** The task as `client` reads it; its error where there is none. */
export async function readTask(client: Client, { taskId }: Body): Promise<Body> {
  const { result, error } = await ask(client, 'tasks/get', { taskId });
  return result ?? error ?? {};
}

export async function updateTask(client: Client, { taskId }: Body, inputResponses: object): Promise<Body> {
  return (await ask(client, 'tasks/update', { taskId, inputResponses })) as Body;
}

export async function cancelTask(client: Client, { taskId }: Body): Promise<Body> {
  return ask(client, 'tasks/cancel', { taskId });
}

/** The task once it has such a status. */
export function taskThat(client: Client, task: Body, status: string, limitMs = 20_000): Promise<Body> {
  return eventually(async () => {
    const read = await readTask(client, task);
    const found = String(read['status']);
    if (found !== status && terminal.includes(found)) throw new Error(`it is ${JSON.stringify(read)}`);
    return found === status ? read : undefined;
  }, limitMs);
}
