import * as host from '../calls/host.js';
import * as catalog from '../catalog/catalog.js';
import * as ledger from '../ledger/ledger.js';
import type { BusRights } from '../topology.js';

export const nativeToolHost: BusRights = {
  answers: [
    host.hosts.native.run,
    host.hosts.native.cancel,
    host.hosts.native.listTools,
    host.hosts.native.agreeKey,
    host.readNativeStatements,
  ],
  asks: [ledger.readSettings],
  announces: [catalog.hostBeat],
  listens: [catalog.registryStarted, ledger.settingsChanged],
};
