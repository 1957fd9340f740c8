import * as host from '../calls/host.js';
import * as item from '../calls/item.js';
import * as catalog from '../catalog/catalog.js';
import type { BusRights } from '../topology.js';

export const mcpConnector: BusRights = {
  answers: [
    host.hosts.mcp.run,
    host.hosts.mcp.cancel,
    host.hosts.mcp.listTools,
    item.runItem,
    item.listItems,
    host.tryServer,
    host.reconnectServer,
  ],
  asks: [catalog.readWantedServers, item.askClient, item.withdrawAsk],
  announces: [catalog.hostBeat, host.callProgressed, item.upstreamNotified],
  listens: [catalog.serversChanged, catalog.registryStarted],
};
