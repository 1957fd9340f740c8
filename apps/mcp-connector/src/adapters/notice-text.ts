import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { scanJson } from '@uar/json-text';
import { paramsText } from './frames/origin.js';

type Notification = Extract<JSONRPCMessage, { method: string }>;

const longestProgress = 16 * 1024;
const deepestProgress = 32;
const longestNotice = 64 * 1024;

const forClients = new Set([
  'notifications/message',
  'notifications/resources/updated',
  'notifications/resources/list_changed',
  'notifications/prompts/list_changed',
  'notifications/elicitation/complete',
]);

/** `params` of a notification; undefined: it is not for clients, has no object, or too long to pass on. */
export function noticeText(message: Notification): string | undefined {
  if (!forClients.has(message.method)) return undefined;
  const text = paramsText(message);
  return text.startsWith('{') && Buffer.byteLength(text) <= longestNotice ? text : undefined;
}

/** `params` of `notifications/progress` without the token. Undefined: too large or too deep to pass on. Never throws. */
export function progressText(params: object | undefined): string | undefined {
  try {
    const text = JSON.stringify({ ...params, progressToken: undefined });
    if (Buffer.byteLength(text) > longestProgress) return undefined;
    return scanJson(text, { maxDepth: deepestProgress }).kind === 'ok' ? text : undefined;
  } catch {
    return undefined;
  }
}
