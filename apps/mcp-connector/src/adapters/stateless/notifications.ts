import type { CallId } from '@uar/contracts';
import type { ClientSide } from '../../domain/client-side.js';
import { noticeText, progressText } from '../notice-text.js';
import type { Notification } from './wire.js';

export interface Hearer {
  readonly client: ClientSide;
  readonly onToolsChanged: () => void;
}

/** What an upstream says during a request. */
export function hearDuring(
  { callId, token, onProgress }: Listener,
  notification: Notification,
  { client, onToolsChanged }: Hearer,
): void {
  const { method, params } = notification;
  if (method === 'notifications/tools/list_changed') return onToolsChanged();
  if (method === 'notifications/progress') {
    const isOurs = onProgress !== undefined && Number(params?.['progressToken']) === token;
    const text = isOurs ? progressText(params) : undefined;
    if (text !== undefined) onProgress?.(text);
    return;
  }
  const paramsJson = noticeText(notification);
  if (paramsJson !== undefined) client.onNotice({ method, paramsJson, ...(callId && { callId }) });
}

export interface Listener {
  readonly callId?: CallId | undefined;
  readonly token?: number | undefined;
  readonly onProgress?: ((paramsJson: string) => void) | undefined;
}
