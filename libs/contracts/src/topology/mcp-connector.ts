import * as connection from '../calls/connection.js';
import * as host from '../calls/host.js';
import * as item from '../calls/item.js';
import * as catalog from '../catalog/catalog.js';
import * as account from '../ledger/account.js';
import type { BusRights } from '../topology.js';

export const mcpConnector: BusRights = {
  answers: [
    host.hosts.mcp.run,
    host.hosts.mcp.cancel,
    host.hosts.mcp.listTools,
    host.hosts.mcp.agreeKey,
    item.runItem,
    item.listItems,
    host.tryServer,
    host.reconnectServer,
    connection.beginConnection,
    connection.finishConnection,
    connection.forgetConnection,
  ],
  asks: [
    catalog.readWantedServers,
    item.askClient,
    item.withdrawAsk,
    account.readAccount,
    account.writeAccount,
    account.leaseAccount,
    account.keepAuthorization,
    account.takeAuthorization,
  ],
  announces: [catalog.hostBeat, host.callProgressed, item.upstreamNotified],
  listens: [catalog.serversChanged, catalog.registryStarted, account.accountChanged],
};
