import type { LogLevel } from '@uar/contracts';
import type { ClientCapabilities } from '../../domain/client-side.js';
import type { RequestProblem } from '../frames/frame.js';

/** The revision of MCP without sessions: each request says itself what it is. */
export const statelessRevision = '2026-07-28';

/** Codes of JSON-RPC errors that MCP 2026-07-28 alone has. */
export const rpcCodes = {
  headerMismatch: -32_020,
  missingCapability: -32_021,
  unsupportedVersion: -32_022,
} as const;

/** Does only a server without sessions answer a request of a session in that way? */
export function isOfNoSession(problem: RequestProblem['problem'] | undefined): boolean {
  if (problem?.kind !== 'upstream_error') return false;
  return problem.code === rpcCodes.headerMismatch || problem.code === rpcCodes.unsupportedVersion;
}

/** Of `_meta`, the member that says to which `subscriptions/listen` a notification belongs. */
export const subscriptionKey = 'io.modelcontextprotocol/subscriptionId';

/** What each request says of its sender. */
export interface Sender {
  readonly capabilities: ClientCapabilities;
  /** Log messages that it wants; absent: none. */
  readonly level?: LogLevel | undefined;
  readonly progressToken?: number | undefined;
}

/** `_meta` of a request, as JSON text. */
export function requestMeta({ capabilities, level, progressToken }: Sender): string {
  return JSON.stringify({
    'io.modelcontextprotocol/protocolVersion': statelessRevision,
    'io.modelcontextprotocol/clientInfo': { name: 'uar', version: '0.1.0' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
    ...(level !== undefined && { 'io.modelcontextprotocol/logLevel': level }),
    ...(progressToken !== undefined && { progressToken }),
  });
}
