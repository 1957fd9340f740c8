/** The codes of JSON-RPC errors that this gateway itself answers with. */
export const rpcCodes = {
  // JSON-RPC 2.0, section 5.1. From -32000 to -32099 they are the server's own.
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  /** Refused before it is a request of a session: the HTTP status says more. */
  refused: -32000,
  /** With 404: clients begin anew (MCP 2025-11-25, "Session Management"). */
  unknownSession: -32001,
  /** MCP 2025-11-25, "Resources", error handling; later revisions have `invalidParams` for it. */
  resourceNotFound: -32002,
  // MCP 2026-07-28.
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedVersion: -32022,
} as const;
