import {
  Inject,
  Module,
  type DynamicModule,
  type OnApplicationShutdown,
  type OnModuleInit,
  type Provider,
} from '@nestjs/common';
import { BUS } from '@uar/bus';
import type { Ledger } from '@uar/ledger';
import type { ServiceContext } from '@uar/service';
import { SettingsAgentOwners } from './adapters/agent-owners.js';
import { BusAnnouncer, BusAuthority, BusCallHolder } from './adapters/bus-peers.js';
import { ExpiryTimer } from './adapters/expiry-timer.js';
import { RetentionTimer } from './adapters/retention-timer.js';
import { openServiceLedger } from './adapters/service-ledger.js';
import { ApprovalsController } from './approvals.controller.js';
import { DecisionsController } from './decisions.controller.js';
import { Approvals } from './domain/approvals.js';
import { Lifecycle } from './domain/lifecycle.js';
import { Votes } from './domain/votes.js';
import { LedgerStatus } from './ledger-status.js';
import { LedgerController } from './ledger.controller.js';
import { ReceiptsController } from './receipts.controller.js';
import { RunsController } from './runs.controller.js';
import { LEDGER } from './tokens.js';

const clock = { now: () => Date.now() };

@Module({})
export class AppModule implements OnModuleInit, OnApplicationShutdown {
  constructor(
    @Inject(LEDGER) private readonly ledger: Ledger,
    @Inject(ExpiryTimer) private readonly timer: ExpiryTimer,
    @Inject(RetentionTimer) private readonly retention: RetentionTimer,
  ) {}

  static with(context: ServiceContext): DynamicModule {
    return {
      module: AppModule,
      controllers: [
        ApprovalsController,
        ReceiptsController,
        RunsController,
        LedgerController,
        DecisionsController,
      ],
      providers: providers(context),
    };
  }

  onModuleInit(): Promise<void> {
    this.retention.start();
    return this.timer.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.timer.stop();
    await this.retention.stop();
    await this.ledger.close();
  }
}

function providers(context: ServiceContext): Provider[] {
  const { bus, config, log } = context;
  const announcer = new BusAnnouncer(bus);
  return [
    { provide: BUS, useValue: bus },
    { provide: LEDGER, useFactory: () => openServiceLedger(config) },
    { provide: LedgerStatus, inject: [LEDGER], useFactory: (ledger: Ledger) => new LedgerStatus(ledger) },
    {
      provide: Lifecycle,
      inject: [LEDGER],
      useFactory: (store: Ledger) => new Lifecycle({ store, announcer, clock }),
    },
    {
      provide: ExpiryTimer,
      inject: [Lifecycle],
      useFactory: (lifecycle: Lifecycle) =>
        new ExpiryTimer({ clock, log, expire: () => lifecycle.expireDue() }),
    },
    retentionOf(context),
    ...questionsAndVotes(context, announcer),
  ];
}

function retentionOf({ config, log }: ServiceContext): Provider {
  const { retention_days: retentionDays } = config.receipts;
  const days = retentionDays === undefined ? {} : { retentionDays };
  const setting = settingOf(config);
  return {
    provide: RetentionTimer,
    inject: [LEDGER],
    useFactory: (ledger: Ledger) => new RetentionTimer({ ledger, clock, log, setting, ...days }),
  };
}

/** What every receipt of this service says besides its own facts. */
function settingOf({ governance, profile }: ServiceContext['config']) {
  return { governance: governance.enabled ? 'on' : 'off', profile } as const;
}

function questionsAndVotes({ bus, config }: ServiceContext, announcer: BusAnnouncer): Provider[] {
  const authority = new BusAuthority(bus);
  const limits = {
    maxPending: config.approvals.max_pending,
    maxNewPerMinute: config.approvals.max_new_per_minute,
  };
  const setting = settingOf(config);
  return [
    {
      provide: Approvals,
      inject: [LEDGER, ExpiryTimer],
      useFactory: (store: Ledger, alarm: ExpiryTimer) => {
        const owners = new SettingsAgentOwners(store);
        return new Approvals({ store, authority, announcer, owners, alarm, clock, limits });
      },
    },
    {
      provide: Votes,
      inject: [LEDGER, Lifecycle],
      useFactory: (store: Ledger, lifecycle: Lifecycle) => {
        const owners = new SettingsAgentOwners(store);
        const holder = new BusCallHolder(bus);
        return new Votes({ store, lifecycle, authority, holder, announcer, owners, clock, setting });
      },
    },
  ];
}
