import { connectNats, createHub, type Bus, type ConnectOptions } from '@uar/bus';
import type { ServiceName } from '@uar/contracts';
import { createLog } from '@uar/telemetry';
import { afterAll, beforeAll, describe } from 'vitest';
import { findNatsServer, startNatsServer } from './nats-server.js';

/** A new connection of a service to the bus under test; closed after the suite. Replicas of a service: call it twice. */
export type ConnectBus = (service: ServiceName, options?: Omit<ConnectOptions, 'service'>) => Promise<Bus>;

interface Transport {
  connect: ConnectBus;
  close(): Promise<void>;
}

const log = createLog({ service: 'test', level: 'silent' });

function inProcess(): Transport {
  const hub = createHub();
  return {
    connect: (service, options) => Promise.resolve(hub.connect({ log, ...options, service })),
    close: () => hub.close(),
  };
}

async function overNats(): Promise<Transport> {
  const server = await startNatsServer();
  const buses: Bus[] = [];
  return {
    connect: async (service, options) => {
      const password = server.passwords[service];
      const bus = await connectNats({ url: server.url, user: service, password, log, ...options, service });
      buses.push(bus);
      return bus;
    },
    close: async () => {
      await Promise.all(buses.map((bus) => bus.close()));
      await server.stop();
    },
  };
}

/** Is the NATS half of a suite to be left out? Then it says so by name; `UAR_TEST_REQUIRE=nats` makes that a failure. */
export function natsMissing(suite: string): boolean {
  if (findNatsServer() !== undefined) return false;
  const required = (process.env['UAR_TEST_REQUIRE'] ?? '').split(',').includes('nats');
  if (required) throw new Error(`${suite}: nats is required, but no nats-server was found`);
  console.warn(`NOT RUN: ${suite} over NATS (no nats-server found)`);
  return true;
}

/**
 * Runs a suite over the in-process bus and over a real nats-server. After `answer` or `listen` on a bus of your own,
 * `await bus.flush()` before another bus relies on it.
 */
export function withBothBuses(name: string, body: (connect: ConnectBus) => void): void {
  withInProcessBus(name, body);
  describe.skipIf(natsMissing(name))(`${name} (NATS)`, () => suite(overNats, body));
}

/** The same over the in-process bus alone: for what is slow and in which the wire has no part. */
export function withInProcessBus(name: string, body: (connect: ConnectBus) => void): void {
  describe(`${name} (in process)`, () => suite(() => Promise.resolve(inProcess()), body));
}

function suite(open: () => Promise<Transport>, body: (connect: ConnectBus) => void): void {
  let transport: Transport | undefined;
  beforeAll(async () => {
    transport = await open();
  });
  afterAll(() => transport?.close());
  body((service, options) => {
    if (transport === undefined) throw new Error('connect inside of tests and hooks only');
    return transport.connect(service, options);
  });
}
