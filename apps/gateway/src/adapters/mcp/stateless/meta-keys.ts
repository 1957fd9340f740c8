/** Members of `_meta` that MCP 2026-07-28 reserves. */
export const metaKeys = {
  revision: 'io.modelcontextprotocol/protocolVersion',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  logLevel: 'io.modelcontextprotocol/logLevel',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  subscription: 'io.modelcontextprotocol/subscriptionId',
} as const;

/** The extension of tasks (SEP-2663), as servers and clients declare it in `capabilities.extensions`. */
export const tasksExtension = 'io.modelcontextprotocol/tasks';
