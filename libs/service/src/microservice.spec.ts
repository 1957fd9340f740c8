import { Controller, Inject, Module, type DynamicModule } from '@nestjs/common';
import { Answers, BUS, createHub, type AskContext, type Bus } from '@uar/bus';
import { readGovernanceStatus, readLedgerStatus, type AnswerOf, type AskOf } from '@uar/contracts';
import { createLog } from '@uar/telemetry';
import { testConfig } from '@uar/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { microservice } from './microservice.js';

class Place {
  constructor(readonly name: string) {}
}

@Controller()
class StatusController {
  constructor(@Inject(Place) private readonly place: Place) {}

  @Answers(readLedgerStatus)
  read(ask: AskOf<typeof readLedgerStatus>, context: AskContext): AnswerOf<typeof readLedgerStatus> {
    if (context.trace === undefined) throw new Error(`secret of ${this.place.name}`);
    return {
      writable: context.signal instanceof AbortSignal,
      problem: `${this.place.name}${JSON.stringify(ask)}`,
    };
  }
}

@Module({})
class LedgerModule {
  static with(bus: Bus): DynamicModule {
    return {
      module: LedgerModule,
      controllers: [StatusController],
      providers: [
        { provide: BUS, useValue: bus },
        { provide: Place, useValue: new Place('here') },
      ],
    };
  }
}

describe('microservice', () => {
  const config = testConfig();
  const log = createLog({ service: 'test', level: 'silent' });
  const hub = createHub();
  const service = microservice({ name: 'approval-service', module: ({ bus }) => LedgerModule.with(bus) });
  afterEach(() => hub.close());

  it('answers with the methods marked with Answers, which get ask and context as they are', async () => {
    const running = await service.start({
      config,
      log,
      bus: hub.connect({ service: 'approval-service', log }),
    });
    const gateway = hub.connect({ service: 'gateway', log });
    const trace = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const reply = await gateway.ask(readLedgerStatus, {}, { trace });
    expect(reply).toEqual({ kind: 'answered', value: { writable: true, problem: 'here{}' } });
    const failed = await gateway.ask(readLedgerStatus, {});
    expect(failed).toMatchObject({
      fault: 'faulted',
      faultId: expect.stringMatching(/^fault_[0-9a-f]{16}$/),
    });
    expect(JSON.stringify(failed)).not.toContain('secret');
    expect(await gateway.ask(readGovernanceStatus, {})).toMatchObject({ fault: 'no_responders' });
    expect(await running.readiness()).toEqual({ ready: true, problems: [] });
    await running.stop();
    expect(await running.readiness()).toEqual({ ready: false, problems: ['the bus is closed'] });
    expect(await gateway.ask(readLedgerStatus, {}, { trace })).toMatchObject({ fault: 'no_responders' });
  });

  it('does not leave a half-started app behind: what it holds is closed again', async () => {
    const closed: string[] = [];
    class Held {
      onModuleDestroy(): void {
        closed.push('held');
      }
    }
    @Module({ providers: [Held] })
    class HoldingModule {}
    const failing = microservice({
      name: 'approval-service',
      module: () => ({ module: HoldingModule }),
      started: () => Promise.reject(new Error('no lease')),
    });
    const bus = createHub().connect({ service: 'approval-service', log });
    await expect(failing.start({ config, log, bus })).rejects.toThrow('no lease');
    expect(closed).toEqual(['held']);
  });
});
