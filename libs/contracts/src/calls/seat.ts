import { z } from 'zod';
import { InstanceId } from '../ids.js';

/** Requests of a client that are about one resource or prompt. */
export const ItemMethod = z.enum([
  'resources/read',
  'resources/subscribe',
  'resources/unsubscribe',
  'prompts/get',
  'completion/complete',
]);
export type ItemMethod = z.output<typeof ItemMethod>;

/** What a grant permits. */
export const CallMethod = z.enum(['tools/call', ...ItemMethod.options]);
export type CallMethod = z.output<typeof CallMethod>;

/** Of `logging/setLevel` (MCP 2025-11-25, "Logging"; RFC 5424 severities). */
export const LogLevel = z.enum([
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
]);
export type LogLevel = z.output<typeof LogLevel>;

/** Is `level` as severe as `least`, or more? */
export function isAtLeast(level: LogLevel, least: LogLevel): boolean {
  return LogLevel.options.indexOf(level) >= LogLevel.options.indexOf(least);
}

/**
 * Whose session with a `per_principal` upstream a request belongs to. The host opens one upstream session for each principal (of
 * the grant) and `id`; a client that declared nothing shares the seat of its principal, any other has one of its own.
 */
export const Seat = z.strictObject({
  id: z.string().max(128),
  /** Who answers for its client. */
  gateway: InstanceId,
  /** ClientCapabilities that the upstream session declares, as JSON text: `sampling`, `elicitation`, `roots`. */
  capabilities_json: z.string().max(4_096),
  log_level: LogLevel.optional(),
});
export type Seat = z.output<typeof Seat>;
