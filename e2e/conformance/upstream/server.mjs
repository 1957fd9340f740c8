// The MCP server that the official conformance suite asks for: its tools, resources and prompts by the names the suite knows.
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { CompleteRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { servePrompts } from './prompts.mjs';
import { serveResources } from './resources.mjs';
import { serveTools } from './tools.mjs';

export function conformanceServer() {
  const server = new Server(
    { name: 'conformance-upstream', version: '1.0.0' },
    {
      capabilities: {
        tools: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        prompts: { listChanged: true },
        logging: {},
        completions: {},
      },
    },
  );
  serveTools(server);
  serveResources(server);
  servePrompts(server);
  server.setRequestHandler(CompleteRequestSchema, () => ({
    completion: { values: ['paris', 'park', 'party'], total: 3, hasMore: false },
  }));
  return server;
}
