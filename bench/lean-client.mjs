// Clients that cost as little as possible, so that what is measured is the other side.
import { Agent, request } from 'node:http';

/** One keep-alive POST; resolves with status, headers and body text. */
export function post(agent, url, headers, body) {
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        method: 'POST',
        agent,
        headers: {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          ...headers,
        },
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk) => (text += chunk));
        response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, text }));
        response.on('error', reject);
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

const message = 'x'.repeat(100);

/** A client over streamable HTTP. `call()` resolves when the echo came back, `list()` with the tools; both throw when it is otherwise. */
export async function mcpCaller(url, tool, token) {
  const agent = new Agent({ keepAlive: true, maxSockets: 128 });
  const accept = {
    accept: 'application/json, text/event-stream',
    ...(token && { authorization: `Bearer ${token}` }),
  };
  const initialize = {
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
  };
  const opened = await post(agent, url, accept, JSON.stringify(initialize));
  if (opened.status !== 200) throw new Error(`initialize: ${opened.status} ${opened.text}`);
  const headers = {
    ...accept,
    'mcp-session-id': opened.headers['mcp-session-id'],
    'mcp-protocol-version': '2025-06-18',
  };
  await post(agent, url, headers, '{"jsonrpc":"2.0","method":"notifications/initialized"}');
  let id = 0;
  async function ask(method, params, expected) {
    id += 1;
    const frame = `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`;
    const { status, text } = await post(agent, url, headers, frame);
    if (status !== 200 || !text.includes(expected))
      throw new Error(`${method}: ${status} ${text.slice(0, 300)}`);
    return text;
  }
  return {
    call: () => ask('tools/call', `{"name":"${tool}","arguments":{"message":"${message}"}}`, message),
    list: async () => toolsOf(await ask('tools/list', '{}', '"tools"')),
    close: () => agent.destroy(),
  };
}

/** The tools in an answer that is JSON, or the one event of a stream. */
function toolsOf(text) {
  const json = /^data: (\{.*)$/m.exec(text)?.[1] ?? text;
  return JSON.parse(json).result.tools;
}

/** The same through `POST /api/tools/{name}/execute`. */
export function apiCaller(url, tool, token) {
  const agent = new Agent({ keepAlive: true, maxSockets: 128 });
  const body = JSON.stringify({ arguments: { message } });
  return {
    async call() {
      const { status, text } = await post(
        agent,
        `${url}/api/tools/${tool}/execute`,
        { authorization: `Bearer ${token}` },
        body,
      );
      if (status !== 200 || !text.includes(message)) throw new Error(`call: ${status} ${text.slice(0, 300)}`);
    },
    close: () => agent.destroy(),
  };
}
