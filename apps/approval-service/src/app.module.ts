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
import { BusAnnouncer, BusAuthority, BusCallHolder, signOf } from './adapters/bus-peers.js';
import { ExpiryTimer } from './adapters/expiry-timer.js';
import { GatewayWatch } from './adapters/gateway-watch.js';
import { openLeadership } from './adapters/leadership/open-leadership.js';
import { outboxOfLeader, whileLeading } from './adapters/leadership/while-leading.js';
import { PurgeTimer } from './adapters/purge-timer.js';
import { RetentionTimer } from './adapters/retention-timer.js';
import { openServiceLedger } from './adapters/service-ledger.js';
import { openCourier, type RunningCourier } from './adapters/webhook/open-courier.js';
import { WakingAnnouncer } from './adapters/webhook/waking-announcer.js';
import { AccountsController } from './accounts.controller.js';
import { ApprovalsController } from './approvals.controller.js';
import { ClosedCallEvents } from './events/closed-call-events.js';
import { DecisionsController } from './decisions.controller.js';
import { Background, type BackgroundWork } from './background.js';
import { DeliveriesController } from './deliveries.controller.js';
import { EventBook } from './events/event-book.js';
import { EventsController } from './events/events.controller.js';
import { Approvals } from './domain/approvals.js';
import type { Leadership } from './domain/leadership/leadership.js';
import { Lifecycle } from './domain/lifecycle.js';
import { neverAhead } from './domain/never-ahead.js';
import type { Announcer } from './domain/ports.js';
import { Recovery } from './domain/recovery.js';
import { Votes } from './domain/votes.js';
import { Deliveries } from './domain/webhook/deliveries.js';
import { LedgerStatus } from './ledger-status.js';
import { LedgerController } from './ledger.controller.js';
import { ReceiptsController } from './receipts.controller.js';
import { RunNews } from './run-news.js';
import { RunsController } from './runs.controller.js';
import { ANNOUNCER, COURIER, LEADERSHIP, LEDGER, RUN_ENDS } from './tokens.js';

const clock = { now: () => Date.now() };
/** What is removed cannot be brought back: a clock that jumps a year ahead removes nothing. */
const steady = neverAhead(clock, () => performance.now());

@Module({})
export class AppModule implements OnModuleInit, OnApplicationShutdown {
  constructor(
    @Inject(LEDGER) private readonly ledger: Ledger,
    @Inject(Background) private readonly background: Background,
  ) {}

  static with(context: ServiceContext): DynamicModule {
    return {
      module: AppModule,
      controllers: [
        ApprovalsController,
        ReceiptsController,
        RunsController,
        LedgerController,
        AccountsController,
        DecisionsController,
        DeliveriesController,
        EventsController,
      ],
      providers: providers(context),
    };
  }

  onModuleInit(): Promise<void> {
    return this.background.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.background.stop();
    await this.ledger.close();
  }
}

function providers(context: ServiceContext): Provider[] {
  const { bus, config, log } = context;
  return [
    { provide: BUS, useValue: bus },
    { provide: LEDGER, useFactory: () => openServiceLedger(config) },
    {
      provide: LEADERSHIP,
      inject: [LEDGER],
      useFactory: (ledger: Ledger) => openLeadership(context, ledger),
    },
    { provide: LedgerStatus, inject: [LEDGER], useFactory: (ledger: Ledger) => new LedgerStatus(ledger) },
    {
      provide: Lifecycle,
      inject: [LEDGER, ANNOUNCER],
      useFactory: (store: Ledger, announcer: Announcer) => new Lifecycle({ store, announcer, clock }),
    },
    {
      provide: ExpiryTimer,
      inject: [Lifecycle, LEADERSHIP],
      useFactory: (lifecycle: Lifecycle, leadership: Leadership) =>
        new ExpiryTimer({
          ...{ clock, log },
          expire: whileLeading(leadership, clock, () => lifecycle.expireDue()),
        }),
    },
    {
      provide: PurgeTimer,
      inject: [LEDGER, LEADERSHIP],
      useFactory: (ledger: Ledger, leadership: Leadership) =>
        new PurgeTimer({ ledger, clock, log, leadership }),
    },
    retentionOf(context),
    watchOf(context),
    ...messages(context),
    ...events(context),
    ...questionsAndVotes(context),
    background,
  ];
}

/** Messages last: what the others end at the start is among what they tell. */
const background: Provider = {
  provide: Background,
  inject: [LEADERSHIP, ExpiryTimer, RUN_ENDS, GatewayWatch, PurgeTimer, RetentionTimer, COURIER],
  useFactory: (lead: BackgroundWork, ...works: BackgroundWork[]) => new Background(lead, works),
};

function events({ bus, log }: ServiceContext): Provider[] {
  return [
    {
      provide: EventBook,
      inject: [LEDGER],
      useFactory: (ledger: Ledger) => new EventBook({ ledger, bus, log, clock }),
    },
    {
      provide: RUN_ENDS,
      inject: [EventBook, LEADERSHIP],
      useFactory: (book: EventBook, leadership: Leadership) =>
        new ExpiryTimer({ clock, log, expire: whileLeading(leadership, clock, () => book.endDueRuns()) }),
    },
    {
      provide: RunNews,
      inject: [EventBook, RUN_ENDS],
      useFactory: (book: EventBook, ends: ExpiryTimer) => new RunNews(book, ends),
    },
  ];
}

function retentionOf({ config, log }: ServiceContext): Provider {
  const { retention_days: retentionDays } = config.receipts;
  const days = retentionDays === undefined ? {} : { retentionDays };
  const setting = settingOf(config);
  return {
    provide: RetentionTimer,
    inject: [LEDGER, LEADERSHIP],
    useFactory: (ledger: Ledger, leadership: Leadership) =>
      new RetentionTimer({ ledger, leadership, clock: steady, log, setting, ...days }),
  };
}

function watchOf({ bus, config, log }: ServiceContext): Provider {
  return {
    provide: GatewayWatch,
    inject: [LEDGER, ANNOUNCER, EventBook, LEADERSHIP],
    useFactory: (...[store, announcer, book, leadership]: [Ledger, Announcer, EventBook, Leadership]) => {
      const events = new ClosedCallEvents({ ledger: store, book, log, clock });
      const recovery = new Recovery({ store, announcer, events, clock, setting: settingOf(config) });
      return new GatewayWatch({
        log,
        gateways: async () => (leadership.leads() ? await recovery.openGateways() : undefined),
        ask: (gateway) => signOf(bus, gateway),
        close: (gateway) => recovery.close(gateway),
      });
    },
  };
}

/** What every receipt of this service says besides its own facts. */
function settingOf({ governance, profile }: ServiceContext['config']) {
  return { governance: governance.enabled ? 'on' : 'off', profile } as const;
}

function messages(context: ServiceContext): Provider[] {
  const hasWebhook = context.config.approvals.webhook !== undefined;
  return [
    {
      provide: COURIER,
      inject: [LEDGER, LEADERSHIP],
      useFactory: (store: Ledger, leadership: Leadership) =>
        openCourier(context, outboxOfLeader(leadership, store), clock),
    },
    {
      provide: ANNOUNCER,
      inject: [COURIER],
      useFactory: (courier: RunningCourier) =>
        new WakingAnnouncer(new BusAnnouncer(context.bus), () => courier.wake()),
    },
    {
      provide: Deliveries,
      inject: [LEDGER, COURIER],
      useFactory: (store: Ledger, courier: RunningCourier) =>
        new Deliveries({ store, clock, hasWebhook, wake: () => courier.wake() }),
    },
  ];
}

function questionsAndVotes({ bus, config }: ServiceContext): Provider[] {
  const authority = new BusAuthority(bus);
  const limits = {
    maxPending: config.approvals.max_pending,
    maxNewPerMinute: config.approvals.max_new_per_minute,
  };
  const setting = settingOf(config);
  return [
    {
      provide: Approvals,
      inject: [LEDGER, ExpiryTimer, ANNOUNCER],
      useFactory: (store: Ledger, alarm: ExpiryTimer, announcer: Announcer) => {
        const owners = new SettingsAgentOwners(store);
        return new Approvals({ store, authority, announcer, owners, alarm, clock, limits });
      },
    },
    {
      provide: Votes,
      inject: [LEDGER, Lifecycle, ANNOUNCER],
      useFactory: (store: Ledger, lifecycle: Lifecycle, announcer: Announcer) => {
        const owners = new SettingsAgentOwners(store);
        const holder = new BusCallHolder(bus);
        return new Votes({ store, lifecycle, authority, holder, announcer, owners, clock, setting });
      },
    },
  ];
}
