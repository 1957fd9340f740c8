import type { DynamicModule, INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { MicroserviceOptions } from '@nestjs/microservices';
import { BusStrategy, type Bus } from '@uar/bus';
import type { ServiceName } from '@uar/contracts';
import { nestLog } from './nest-log.js';
import type { Readiness, RunningService, ServiceContext, ServiceDefinition } from './service.js';

export interface BusServiceOptions {
  readonly name: ServiceName;
  module(context: ServiceContext): DynamicModule;
  /** Runs once every handler answers: the place to begin what the service does by itself. */
  started?(app: INestApplicationContext): Promise<void>;
  /** What the service itself needs to be ready, besides its bus. */
  readiness?(app: INestApplicationContext): Promise<Readiness>;
  /** First step of the orderly end, before the bus drains: timers off, nothing new begun. */
  stop?(app: INestApplicationContext): Promise<void>;
}

/** A service that speaks on the bus alone: a Nest microservice whose transport is ours. */
export function microservice(options: BusServiceOptions): ServiceDefinition {
  return {
    name: options.name,
    start: async (context) => {
      const app = await NestFactory.createMicroservice<MicroserviceOptions>(options.module(context), {
        strategy: new BusStrategy(context.bus),
        logger: nestLog(context.log),
        abortOnError: false,
      });
      try {
        await app.listen();
        await options.started?.(app);
        return running(options, context, app);
      } catch (error) {
        await app.close();
        throw error;
      }
    },
  };
}

function running(
  options: BusServiceOptions,
  { bus, config }: ServiceContext,
  app: INestApplicationContext,
): RunningService {
  const stop = async (): Promise<void> => {
    await options.stop?.(app);
    await bus.drain(config.server.shutdown_grace_seconds * 1000);
    await app.close();
  };
  let stopped: Promise<void> | undefined;
  return {
    name: options.name,
    readiness: async () => joined(busProblems(bus), await options.readiness?.(app)),
    stop: () => (stopped ??= stop()),
  };
}

function joined(busProblems: readonly string[], own: Readiness | undefined): Readiness {
  const problems = [...busProblems, ...(own?.problems ?? [])];
  return { ready: busProblems.length === 0 && own?.ready !== false, problems };
}

/** What keeps a service with this bus from being ready. */
export function busProblems(bus: Bus): readonly string[] {
  const state = bus.state();
  const violation = bus.violation();
  return [
    ...(state === 'connected' ? [] : [`the bus is ${state}`]),
    ...(violation === undefined ? [] : [violation]),
  ];
}
