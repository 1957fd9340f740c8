import { Catch, Controller, Module, type ExceptionFilter, type PipeTransform } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { MessagePattern } from '@nestjs/microservices';
import {
  keepCall,
  readGovernanceStatus,
  readKeptCall,
  readLedgerStatus,
  type AnswerOf,
  type AskOf,
} from '@uar/contracts';
import { of, type Observable } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { AskContext, Bus } from '../bus.js';
import { recordedLog } from '../conformance/recorded-log.fixture.js';
import { callId, keptCall, tenant } from '../conformance/values.fixture.js';
import { createHub } from '../hub/hub.js';
import { Answers } from './answers.js';
import { BusStrategy } from './strategy.js';

const seen: unknown[][] = [];

@Controller()
class LedgerController {
  @Answers(readLedgerStatus)
  status(...all: [AskOf<typeof readLedgerStatus>, AskContext]): AnswerOf<typeof readLedgerStatus> {
    seen.push(all);
    return { writable: true };
  }

  @Answers(readKeptCall)
  async read(): Promise<AnswerOf<typeof readKeptCall>> {
    await Promise.resolve();
    throw new RangeError('thrown later');
  }

  @Answers(keepCall)
  keep(): AnswerOf<typeof keepCall> {
    throw new RangeError('thrown at once');
  }
}

@Module({ controllers: [LedgerController] })
class LedgerModule {}

@Controller()
class ForeignController {
  @MessagePattern('some.pattern')
  run(): string {
    return '';
  }
}

@Module({ controllers: [ForeignController] })
class ForeignModule {}

@Controller()
class TrespassingController {
  @Answers(readGovernanceStatus)
  run(): AnswerOf<typeof readGovernanceStatus> {
    return { governance: 'on', sets: [] };
  }
}

@Module({ controllers: [TrespassingController] })
class TrespassingModule {}

class SpoilingPipe implements PipeTransform {
  transform(): string {
    return 'spoilt by a pipe';
  }
}

@Catch()
class SwallowingFilter implements ExceptionFilter {
  catch(): Observable<unknown> {
    return of({ kept: true });
  }
}

async function start(module: new () => object, bus: Bus): Promise<() => Promise<void>> {
  const strategy = new BusStrategy(bus);
  const options = { strategy, logger: false, abortOnError: false } as const;
  const app = await NestFactory.createMicroservice(module, options);
  app.useGlobalPipes(new SpoilingPipe());
  app.useGlobalFilters(new SwallowingFilter());
  await app.listen();
  return () => app.close();
}

describe('handlers in Nest', () => {
  it('get ask and context as they are, whatever global pipes an app has', async () => {
    const hub = createHub();
    const stop = await start(LedgerModule, hub.connect({ service: 'approval-service' }));
    const reply = await hub.connect({ service: 'gateway' }).ask(readLedgerStatus, {});
    expect(reply).toMatchObject({ kind: 'answered' });
    expect(seen).toEqual([[{}, expect.objectContaining({ deadlineAt: expect.any(Number) })]]);
    await stop();
    await hub.close();
  });

  it('that throw reach the bus with their own error, whatever global filters an app has', async () => {
    const { log, lines } = recordedLog();
    const hub = createHub();
    const stop = await start(LedgerModule, hub.connect({ service: 'approval-service', log }));
    const gateway = hub.connect({ service: 'gateway', log });
    expect(await gateway.ask(readKeptCall, keptCall(1))).toMatchObject({ fault: 'faulted' });
    const kept = { tenant, call_id: callId(1), principal: '', view_json: '', expires_at: 0 };
    expect(await gateway.ask(keepCall, kept)).toMatchObject({ fault: 'faulted' });
    expect(lines.filter((line) => line.includes('RangeError'))).toHaveLength(2);
    await stop();
    await hub.close();
  });

  it('keep a service from starting that topology does not let answer, or that answers no exchange', async () => {
    const { log } = recordedLog();
    const hub = createHub();
    const bus = hub.connect({ service: 'approval-service', log });
    await expect(start(TrespassingModule, bus)).rejects.toThrow('may not answer');
    await expect(start(ForeignModule, bus)).rejects.toThrow('not declared with Answers');
    await hub.close();
  });
});
