import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { conformanceServer } from './server.mjs';

/** The upstream over streamable HTTP on a free port, a server for each session. */
export async function startHttpUpstream() {
  const sessions = new Map();

  async function opened() {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => sessions.set(id, transport),
      onsessionclosed: (id) => sessions.delete(id),
    });
    await conformanceServer().connect(transport);
    return transport;
  }

  const server = createServer(async (request, response) => {
    const transport = sessions.get(request.headers['mcp-session-id']) ?? (await opened());
    await transport.handleRequest(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}/mcp`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
