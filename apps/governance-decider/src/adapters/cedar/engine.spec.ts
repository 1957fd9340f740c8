import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { RawAnswer } from '../../domain/cedar/cedar.js';
import type { EngineLimits } from './engine-limits.js';
import { CedarEngine, compileCedar } from './engine.js';
import { shippedFolder, slowQuestion, someQuestion, throwingQuestion } from './questions.fixture.js';

let module: WebAssembly.Module;
let schema: string;
beforeAll(async () => {
  module = await compileCedar();
  schema = await readFile(join(shippedFolder, 'schema.cedarschema'), 'utf8');
});

const version = 'v1';
const policies = { 't/all': 'permit (principal, action in UAR::Action::"use", resource);' };
const running: CedarEngine[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((engine) => engine.stop()));
});

async function engineWith(limits: Partial<EngineLimits> = {}): Promise<CedarEngine> {
  const engine = await CedarEngine.start(module, limits);
  running.push(engine);
  expect(await publish(engine)).toMatchObject({ kind: 'done' });
  return engine;
}

function publish(
  engine: CedarEngine,
  sets: Record<string, Record<string, string>> = { [version]: policies },
) {
  return engine.publish(
    Object.entries(sets).map(([name, texts]) => ({
      ...{ version: name, schema, policies: texts },
      ...{ warmUp: [someQuestion()], slices: [] },
    })),
  );
}

const ask = async (
  engine: CedarEngine,
  questions = [someQuestion()],
  set = version,
): Promise<readonly RawAnswer[]> => engine.ask({ set, questions, stopAtRefusal: false });

const yes = { kind: 'decided', decision: 'allow', reasons: ['t/all'], errors: [] };

describe('the engine', () => {
  it('answers a batch question by question', async () => {
    const engine = await engineWith();
    const denied = { ...someQuestion(), action: 'callToolUnattended' };
    expect(await ask(engine, [someQuestion(), denied, someQuestion()])).toEqual([
      yes,
      { kind: 'decided', decision: 'deny', reasons: [], errors: [] },
      yes,
    ]);
  });

  it('asks no further after a refusal where it is told so', async () => {
    const engine = await engineWith();
    const denied = { ...someQuestion(), action: 'callToolUnattended' };
    const questions = [someQuestion(), denied, someQuestion()];
    const answers = await engine.ask({ set: version, questions, stopAtRefusal: true });
    expect(answers.map(({ kind }) => kind)).toEqual(['decided', 'decided', 'not_asked']);
  });

  it('loses questions about a set that it does not hold', async () => {
    const engine = await engineWith();
    expect(await ask(engine, [someQuestion()], 'other')).toEqual([
      { kind: 'lost', cause: 'engine_unavailable' },
    ]);
  });

  it('denies everything under an empty set', async () => {
    const engine = await engineWith();
    await publish(engine, { empty: {} });
    expect(await ask(engine, [someQuestion()], 'empty')).toEqual([
      { kind: 'decided', decision: 'deny', reasons: [], errors: [] },
    ]);
  });

  it('refuses what the schema does not know', async () => {
    const engine = await engineWith();
    const question = someQuestion();
    const asked = { ...question, context: { ...question.context, more: true } };
    expect(await ask(engine, [asked])).toMatchObject([{ kind: 'invalid' }]);
  });

  it('ends a batch that takes too long, and goes on with the spare at once', async () => {
    const engine = await engineWith({ batchMs: 300 });
    const slow = ask(engine, [slowQuestion()]);
    const behind = ask(engine);
    expect(await slow).toEqual([{ kind: 'lost', cause: 'engine_timeout' }]);
    expect(await behind).toEqual([yes]);
    expect(await ask(engine)).toEqual([yes]);
  });

  it('lets others pass by a batch that does not end', async () => {
    const engine = await engineWith({ batchMs: 5_000, waitMs: 10_000 });
    let isOver = false;
    const slow = ask(engine, [slowQuestion()]).finally(() => (isOver = true));
    for (let asked = 0; asked < 3; asked += 1) expect(await ask(engine)).toEqual([yes]);
    expect(isOver).toBe(false);
    expect(await slow).toEqual([{ kind: 'lost', cause: 'engine_timeout' }]);
  });

  it('never asks an instance that a rehearsal works on', async () => {
    const engine = await engineWith({ batchMs: 500 });
    const rehearsed = engine.rehearse(async () => {
      const slow = ask(engine, [slowQuestion()]);
      let isOver = false;
      void slow.finally(() => (isOver = true));
      expect(await ask(engine)).toEqual([yes]);
      return isOver;
    });
    expect(await rehearsed).toEqual({ kind: 'done', value: true });
  });

  it('never asks an instance that has given up the set', async () => {
    const engine = await engineWith({ batchMs: 20_000, waitMs: 20_000, passByMs: 5 });
    await publish(engine, { v2: policies });
    const long = ask(
      engine,
      Array.from({ length: 400 }, () => someQuestion()),
      'v2',
    );
    expect(await ask(engine)).toEqual([yes]);
    expect(await long).toHaveLength(400);
  });

  it('has no answer for a part of a set that was not prepared in parts', async () => {
    const engine = await engineWith();
    expect(await ask(engine, [{ ...someQuestion(), part: 'steady' }])).toEqual([
      { kind: 'lost', cause: 'engine_unavailable' },
    ]);
  });

  it('refuses more batches than may wait', async () => {
    const engine = await engineWith({ maxWaiting: 2 });
    const [first, second, third] = await Promise.all([ask(engine), ask(engine), ask(engine)]);
    expect([first, second]).toEqual([[yes], [yes]]);
    expect(third).toEqual([{ kind: 'lost', cause: 'engine_overloaded' }]);
  });

  it('lets 5,000 throwing questions disturb nobody', async () => {
    const engine = await engineWith({ waitMs: 20_000 });
    const throwing = throwingQuestion();
    let answered = 0;
    for (let round = 0; round < 100; round += 1) {
      const bad = ask(
        engine,
        Array.from({ length: 50 }, () => throwing),
      );
      const [answers, good] = await Promise.all([bad, ask(engine)]);
      expect(answers.every(({ kind }) => kind === 'threw')).toBe(true);
      expect(good).toEqual([yes]);
      answered += answers.length;
    }
    expect(answered).toBe(5_000);
  });

  it('keeps deciding while a set that breaks the parser is inspected', async () => {
    const engine = await engineWith();
    const nested = `${'('.repeat(300)}true${')'.repeat(300)}`;
    const poison = { 't/poison': `permit (principal, action, resource) when { ${nested} };` };
    const inspected = engine.rehearse((laboratory) => laboratory.inspect({ schema, policies: poison }));
    expect(await ask(engine)).toEqual([yes]);
    expect(await inspected).toMatchObject({ kind: 'done', value: { kind: 'failed' } });
    const again = await engine.rehearse((laboratory) => laboratory.inspect({ schema, policies }));
    expect(again).toMatchObject({ kind: 'done', value: { kind: 'done', value: { findings: [] } } });
    expect(await ask(engine)).toEqual([yes]);
  });

  it('works on a fresh instance after a rehearsal that failed half way, and lends it to others again', async () => {
    const engine = await engineWith({ batchMs: 5_000, waitMs: 10_000 });
    const failing = engine.rehearse(async (laboratory) => {
      await laboratory.install({ version: 'left', schema, policies, warmUp: [someQuestion()], slices: [] });
      throw new Error('a bug in the rehearsal');
    });
    await expect(failing).rejects.toThrow('a bug in the rehearsal');
    const left = await engine.rehearse(({ engine: spare }) =>
      spare.ask({ set: 'left', questions: [someQuestion()], stopAtRefusal: false }),
    );
    expect(left).toMatchObject({ kind: 'done', value: [{ kind: 'lost' }] });
    let isOver = false;
    const slow = ask(engine, [slowQuestion()]).finally(() => (isOver = true));
    expect(await ask(engine)).toEqual([yes]);
    expect(isOver).toBe(false);
    await slow;
  });

  it('swaps sets under load without a wrong answer', async () => {
    const engine = await engineWith();
    const denyAll = { ...policies, 't/no': 'forbid (principal, action, resource);' };
    const before = Array.from({ length: 40 }, () => ask(engine));
    const swap = publish(engine, { [version]: policies, v2: denyAll });
    const during = Array.from({ length: 40 }, () => ask(engine));
    expect(await swap).toMatchObject({ kind: 'done' });
    const after = await ask(engine, [someQuestion()], 'v2');
    for (const answers of await Promise.all([...before, ...during])) expect(answers).toEqual([yes]);
    expect(after).toMatchObject([{ decision: 'deny', reasons: ['t/no'] }]);
  });

  it('loses what is asked after its end', async () => {
    const engine = await engineWith();
    await engine.stop();
    expect(await ask(engine)).toEqual([{ kind: 'lost', cause: 'engine_unavailable' }]);
  });
});
