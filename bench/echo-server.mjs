// The tool that every side of a benchmark calls: `echo`, on a server built with the official SDK.
// `echo-server.mjs stdio` speaks on its pipes, `echo-server.mjs http` on a free loopback port that it prints; a number after it is
// how many tools it lists.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const echo = {
  name: 'echo',
  description: 'answers with its message',
  inputSchema: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
  annotations: { readOnlyHint: true, openWorldHint: false },
};

const count = Number(process.argv[3] ?? 1);
const tools = [echo, ...Array.from({ length: count - 1 }, (_, n) => ({ ...echo, name: `echo_${n + 2}` }))];

function createEcho() {
  const server = new Server({ name: 'echo', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
  server.setRequestHandler(CallToolRequestSchema, (request) => ({
    content: [{ type: 'text', text: String(request.params.arguments?.message) }],
  }));
  return server;
}

if (process.argv[2] === 'stdio') {
  await createEcho().connect(new StdioServerTransport());
} else {
  const sessions = new Map();
  const front = createServer(async (request, response) => {
    const known = sessions.get(request.headers['mcp-session-id']);
    if (known) return known.handleRequest(request, response);
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => sessions.set(id, transport),
    });
    await createEcho().connect(transport);
    return transport.handleRequest(request, response);
  });
  front.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${front.address().port}/mcp`));
}
