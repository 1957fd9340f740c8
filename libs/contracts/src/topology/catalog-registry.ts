import * as event from '../calls/event.js';
import * as host from '../calls/host.js';
import * as catalog from '../catalog/catalog.js';
import * as change from '../catalog/change.js';
import * as ledger from '../ledger/ledger.js';
import type { BusRights } from '../topology.js';

export const catalogRegistry: BusRights = {
  answers: [
    catalog.readCatalog,
    catalog.readWantedServers,
    catalog.listServers,
    catalog.putServer,
    catalog.patchServer,
    catalog.deleteServer,
    catalog.readHealth,
    catalog.probeServer,
    change.listChanges,
    change.decideChange,
  ],
  asks: [
    ledger.readSettings,
    ledger.writeSetting,
    event.appendEvents,
    host.tryServer,
    host.reconnectServer,
    host.hosts.mcp.listTools,
    host.hosts.native.listTools,
    host.readNativeStatements,
  ],
  announces: [catalog.catalogChanged, catalog.catalogBeat, catalog.serversChanged, catalog.registryStarted],
  listens: [catalog.hostBeat],
};
