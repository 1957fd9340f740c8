import { Module, type DynamicModule } from '@nestjs/common';
import { newInstanceId } from '@uar/bus';
import { catalogChanged, serversChanged } from '@uar/contracts';
import { EventDesk } from '@uar/events';
import type { ServiceContext } from '@uar/service';
import { BusHosts } from './adapters/bus-hosts.js';
import { CatalogEvents } from './adapters/catalog-events.js';
import { DataKeyVault } from './adapters/data-key-vault.js';
import { fileServers } from './adapters/file-servers.js';
import { LedgerSettings } from './adapters/ledger-settings.js';
import { LogJournal } from './adapters/log-journal.js';
import { RegistryLoop } from './adapters/registry-loop.js';
import { turnsOfTheLoop } from './adapters/turns-of-the-loop.js';
import { CatalogController } from './catalog.controller.js';
import { ChangesController } from './changes.controller.js';
import { DefinitionChanges } from './domain/changes/definition-changes.js';
import { ReviewDesk } from './domain/changes/review-desk.js';
import { ReviewShelf } from './domain/changes/review-shelf.js';
import { HostTable } from './domain/hosts/host-table.js';
import { Registry } from './domain/registry.js';
import { ChangeInEffect } from './domain/writes/change-in-effect.js';
import { DesiredServers } from './domain/servers/desired-servers.js';
import { ServerProbe } from './domain/writes/server-probe.js';
import { ServerStore } from './domain/servers/server-store.js';
import { ServerWriter } from './domain/writes/server-writer.js';
import { CatalogBook } from './domain/tools/catalog-book.js';
import { Examiner } from './domain/tools/examiner.js';
import { ListReader } from './domain/tools/list-reader.js';
import { LookAlikes } from './domain/tools/look-alikes.js';
import { Pins } from './domain/tools/pins.js';
import { Turns } from './domain/turns.js';
import { OPENING } from './opening.js';
import { ServerViewsController } from './server-views.controller.js';
import { ServersController } from './servers.controller.js';

/** How long a written server may take to come up before the answer goes out without it. */
const settleMs = 4_000;

@Module({})
export class AppModule {
  static with(context: ServiceContext): DynamicModule {
    const { loop, ...others } = collaborators(context);
    return {
      module: AppModule,
      controllers: [CatalogController, ServerViewsController, ServersController, ChangesController],
      providers: [
        ...[loop, ...Object.values(others)].map((value) => ({
          provide: value.constructor,
          useValue: value,
        })),
        { provide: OPENING, useValue: loop },
      ],
    };
  }
}

function collaborators(context: ServiceContext) {
  const { bus, config, log } = context;
  const journal = new LogJournal(log);
  const settings = new LedgerSettings({ bus, ...receiptMarks(context), now: Date.now });
  const hosts = new BusHosts(bus);
  const desired = new DesiredServers(fileServers(config));
  const table = new HostTable();
  const pins = new Pins(settings, journal);
  const vault = new DataKeyVault(config.keys.data_key_file);
  const store = new ServerStore({ desired, settings, vault, journal });
  const shelf = new ReviewShelf(settings, journal);
  const pause = turnsOfTheLoop();
  const eventDesk = new EventDesk({ bus, log, now: Date.now });
  const events = new CatalogEvents(eventDesk, Date.now);
  const changes = new DefinitionChanges({ shelf, pins, journal, pause, turns: new Turns(), now: Date.now });
  const registry = new Registry({
    ...{ desired, table, changes, journal },
    book: new CatalogBook(newInstanceId(), undefined, (turn) => events.note(turn)),
    examiner: new Examiner(pins, new LookAlikes()),
    reader: new ListReader({ hosts, journal, pause }),
    announce: (change) => bus.announce(catalogChanged, change),
  });
  const writer = new ServerWriter({
    ...{ desired, store, hosts, turns: new Turns() },
    apply: changeInEffect(context, { desired, pins, changes, registry }),
    apiCommands: config.mcp.api_commands,
    view: (server) => registry.view(server),
  });
  const desk = new ReviewDesk({ desired, registry, changes, pins, turns: new Turns() });
  const loop = new RegistryLoop({ bus, log, settings, store, pins, registry });
  const probe = new ServerProbe({ desired, registry, table, hosts, journal });
  return { registry, desired, writer, desk, loop, probe, eventDesk };
}

/** What every receipt of ours says of the installation. */
function receiptMarks({ config }: ServiceContext) {
  return { profile: config.profile, governance: config.governance.enabled ? 'on' : 'off' } as const;
}

function changeInEffect(
  { bus }: ServiceContext,
  parts: Pick<ConstructorParameters<typeof ChangeInEffect>[0], 'desired' | 'pins' | 'changes' | 'registry'>,
): ChangeInEffect {
  return new ChangeInEffect({
    ...parts,
    announce: (change) => bus.announce(serversChanged, change),
    settleSignal: () => AbortSignal.timeout(settleMs),
  });
}
