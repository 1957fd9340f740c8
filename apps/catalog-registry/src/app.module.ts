import { Module, type DynamicModule } from '@nestjs/common';
import { newInstanceId } from '@uar/bus';
import { catalogChanged, serversChanged } from '@uar/contracts';
import type { ServiceContext } from '@uar/service';
import { BusHosts } from './adapters/bus-hosts.js';
import { DataKeyVault } from './adapters/data-key-vault.js';
import { fileServers } from './adapters/file-servers.js';
import { LedgerReceipts } from './adapters/ledger-receipts.js';
import { LedgerSettings } from './adapters/ledger-settings.js';
import { LogJournal } from './adapters/log-journal.js';
import { RegistryLoop } from './adapters/registry-loop.js';
import { CatalogController } from './catalog.controller.js';
import { HostTable } from './domain/hosts/host-table.js';
import { Registry } from './domain/registry.js';
import { ChangeInEffect } from './domain/writes/change-in-effect.js';
import { DesiredServers } from './domain/servers/desired-servers.js';
import { ServerProbe } from './domain/writes/server-probe.js';
import { ServerStore } from './domain/servers/server-store.js';
import { ServerWriter } from './domain/writes/server-writer.js';
import { CatalogBook } from './domain/tools/catalog-book.js';
import { Pins } from './domain/tools/pins.js';
import { OPENING } from './opening.js';
import { ServerViewsController } from './server-views.controller.js';
import { ServersController } from './servers.controller.js';

/** How long a written server may take to come up before the answer goes out without it. */
const settleMs = 4_000;

@Module({})
export class AppModule {
  static with(context: ServiceContext): DynamicModule {
    const { registry, desired, writer, receipts, loop, probe } = collaborators(context);
    return {
      module: AppModule,
      controllers: [CatalogController, ServerViewsController, ServersController],
      providers: [
        ...[registry, desired, writer, receipts, loop, probe].map((value) => ({
          provide: value.constructor,
          useValue: value,
        })),
        { provide: OPENING, useValue: loop },
      ],
    };
  }
}

function collaborators({ bus, config, log }: ServiceContext) {
  const journal = new LogJournal(log);
  const settings = new LedgerSettings(bus);
  const hosts = new BusHosts(bus);
  const desired = new DesiredServers(fileServers(config));
  const table = new HostTable();
  const pins = new Pins(settings, journal);
  const vault = new DataKeyVault(config.keys.data_key_file);
  const store = new ServerStore({ desired, settings, vault, journal });
  const book = new CatalogBook(newInstanceId());
  const registry = new Registry({
    ...{ desired, table, book, pins, hosts, journal },
    announce: (change) => bus.announce(catalogChanged, change),
  });
  const apply = new ChangeInEffect({
    ...{ desired, pins, registry },
    announce: (change) => bus.announce(serversChanged, change),
    settleSignal: () => AbortSignal.timeout(settleMs),
  });
  const governance = config.governance.enabled ? 'on' : 'off';
  const receipts = new LedgerReceipts({ bus, log, profile: config.profile, governance });
  const writer = new ServerWriter({
    ...{ desired, store, hosts, receipts, apply },
    apiCommands: config.mcp.api_commands,
    view: (server) => registry.view(server),
  });
  const loop = new RegistryLoop({ bus, log, settings, store, pins, registry });
  const probe = new ServerProbe({ desired, registry, table, hosts, journal });
  return { registry, desired, writer, receipts, loop, probe };
}
