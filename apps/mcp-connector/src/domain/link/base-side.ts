import type { ServerConfig } from '@uar/contracts';
import type { ClientCapabilities, ClientSide, Notice } from '../client-side.js';
import type { ItemKind } from '../items/item-lists.js';
import type { ConnectTarget } from './connect.js';
import { Notices } from '../notices/notices.js';
import type { LinkPorts } from './connection.js';

/**
 * What the connection that lists declares. Where calls go to seats, an upstream is to list whatever it has for any
 * client; what it asks over this connection is refused all the same.
 */
export function baseCapabilities({ placement }: ServerConfig): ClientCapabilities {
  return placement === 'per_principal' ? { sampling: {}, elicitation: { form: {}, url: {} }, roots: {} } : {};
}

export interface BaseSideOptions {
  readonly target: ConnectTarget;
  readonly ports: Pick<LinkPorts, 'clients' | 'clock'>;
  /** Of the connection. */
  readonly signal: AbortSignal;
  readonly onItemsChanged: (kind: ItemKind) => void;
}

/** The client that nobody stands behind. What is told to it concerns everybody, or, of a shared server, who subscribed. */
export function baseSide({ target, ports, signal, onItemsChanged }: BaseSideOptions): ClientSide {
  const { tenant, name: server, config } = target;
  const pass = ({ method, paramsJson: params_json }: Notice): void =>
    ports.clients.notify({ tenant, server, method, params_json });
  const notices = new Notices({ clock: ports.clock, signal, pass });
  const onNotice = (notice: Notice): void => {
    const kind = changedKind(notice.method);
    if (kind !== undefined) onItemsChanged(kind);
    const isUpdate = notice.method === 'notifications/resources/updated';
    if (kind !== undefined || (isUpdate && config.placement !== 'per_principal')) notices.tell(notice);
  };
  return { capabilities: baseCapabilities(config), onNotice };
}

/** Of which lists the notification tells that they changed. */
export function changedKind(method: string): ItemKind | undefined {
  if (method === 'notifications/resources/list_changed') return 'resources';
  return method === 'notifications/prompts/list_changed' ? 'prompts' : undefined;
}
