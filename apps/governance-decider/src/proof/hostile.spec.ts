import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { CedarEngine, compileCedar } from '../adapters/cedar/engine.js';
import {
  shippedFolder,
  slowQuestion,
  someQuestion,
  throwingQuestion,
} from '../adapters/cedar/questions.fixture.js';
import { Seat } from '../adapters/cedar/seat.js';
import type { CedarQuestion, RawAnswer } from '../domain/cedar/cedar.js';
import { proofRuns } from './runs.fixture.js';

const version = 'v1';
const policies = { 't/all': 'permit (principal, action in UAR::Action::"use", resource);' };
const schema = await readFile(join(shippedFolder, 'schema.cedarschema'), 'utf8');
const module = await compileCedar();
const installed = { version, schema, policies, warmUp: [someQuestion()], slices: [] };
const yes: RawAnswer = { kind: 'decided', decision: 'allow', reasons: ['t/all'], errors: [] };

const running: CedarEngine[] = [];
afterEach(() => Promise.all(running.splice(0).map((engine) => engine.stop())));

/** With the limits it is shipped with. */
async function startEngine(): Promise<CedarEngine> {
  const engine = await CedarEngine.start(module);
  running.push(engine);
  expect(await engine.publish([installed])).toMatchObject({ kind: 'done' });
  return engine;
}

function ask(engine: CedarEngine, questions: readonly CedarQuestion[]): Promise<readonly RawAnswer[]> {
  return engine.ask({ set: version, questions, stopAtRefusal: false });
}

/** Ordinary decisions, one after the other, until `work` has ended; the longest wait among them in milliseconds. */
async function beside(
  engine: CedarEngine,
  work: Promise<unknown>,
): Promise<{ answered: number; longestMs: number }> {
  let isOver = false;
  void work.finally(() => {
    isOver = true;
  });
  let answered = 0;
  let longestMs = 0;
  while (!isOver) {
    const from = performance.now();
    expect(await ask(engine, [someQuestion()])).toEqual([yes]);
    longestMs = Math.max(longestMs, performance.now() - from);
    answered += 1;
  }
  await work;
  return { answered, longestMs };
}

/** Five thousand where the proofs run; an instance breaks at 1,146 throws. */
const { cases: hostileQuestions } = proofRuns({ cases: 500 });

describe('beside hostile questions', { timeout: 300_000 }, () => {
  it('ordinary ones are all answered while thousands throw, and instances are replaced', async () => {
    const engine = await startEngine();
    let replaced = 0;
    const count = (): void => {
      replaced += 1;
    };
    process.on('worker', count);
    let threw = 0;
    const hostile = async (): Promise<void> => {
      while (threw < hostileQuestions) {
        const answers = await ask(engine, Array.from({ length: 50 }, throwingQuestion));
        threw += answers.filter(({ kind }) => kind === 'threw').length;
      }
    };
    const { answered, longestMs } = await beside(engine, hostile());
    process.off('worker', count);
    console.log(
      `hostile: ${threw} questions threw, ${replaced} instances were replaced; ${answered} ordinary ones beside them, all answered, the longest wait ${longestMs.toFixed(0)} ms`,
    );
    // An instance breaks at 1,146 throws, so one alone cannot have answered them.
    expect(replaced).toBeGreaterThanOrEqual(Math.floor(hostileQuestions / 1_146));
    expect(answered).toBeGreaterThan(0);
  });

  it('ordinary ones wait no longer than the limit of one evaluation while another does not end', async () => {
    const engine = await startEngine();
    const endless = ask(engine, [slowQuestion()]);
    const { answered, longestMs } = await beside(engine, endless);
    console.log(
      `endless: ended by its limit; ${answered} ordinary questions beside it, all answered, the longest wait ${longestMs.toFixed(0)} ms`,
    );
    expect(await endless).toEqual([{ kind: 'lost', cause: 'engine_timeout' }]);
    expect(answered).toBeGreaterThanOrEqual(1);
  });

  it('an instance does not grow over many questions', async () => {
    const seat = new Seat({ module }, () => undefined);
    const task = { op: 'install' as const, schemaName: 's', ...installed };
    expect(await seat.run(task, 20_000)).toEqual({ kind: 'done' });
    const questions = Array.from({ length: 100 }, someQuestion);
    const round = () => seat.run({ op: 'ask', set: version, questions, stopAtRefusal: false }, 20_000);
    await round();
    const before = seat.health.memoryBytes;
    for (let rounds = 0; rounds < 20; rounds += 1) await round();
    console.log(`memory: ${before} bytes after 100 questions, ${seat.health.memoryBytes} after 2,100`);
    expect(seat.health.memoryBytes).toBe(before);
    await seat.stop();
  });
});
