import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import { TimedWorker } from './timed-worker.js';

/** Doubles numbers, and never comes back from 0; ends itself at a negative one. */
const program = `
const { parentPort } = require('node:worker_threads');
parentPort.on('message', ({ id, task }) => {
  if (task === 0) for (;;);
  if (task < 0) process.exit(1);
  parentPort.postMessage({ id, reply: task * 2 });
});`;

const running: TimedWorker<number, number>[] = [];
afterEach(() => Promise.all(running.splice(0).map((worker) => worker.stop())));

function doubler(onEnd: () => void = () => undefined): TimedWorker<number, number> {
  const worker = new TimedWorker<number, number>({ worker: new Worker(program, { eval: true }), onEnd });
  running.push(worker);
  return worker;
}

describe('a worker with limits', () => {
  it('runs tasks in order', async () => {
    const worker = doubler();
    const tasks = [1, 2, 3].map((task) => worker.submit(task, 5_000));
    expect(tasks.map(({ hasStarted }) => hasStarted())).toEqual([true, false, false]);
    expect(await Promise.all(tasks.map(({ result }) => result))).toEqual([
      { kind: 'replied', reply: 2 },
      { kind: 'replied', reply: 4 },
      { kind: 'replied', reply: 6 },
    ]);
    expect([worker.load, worker.isAlive]).toEqual([0, true]);
  });

  it('ends with the task that takes too long, and says who was behind it', async () => {
    let ends = 0;
    const worker = doubler(() => (ends += 1));
    await worker.run(1, 5_000);
    const [endless, behind] = [worker.run(0, 100), worker.run(2, 5_000)];
    expect(await endless).toEqual({ kind: 'timed_out' });
    expect(await behind).toEqual({ kind: 'gone' });
    expect(await worker.run(3, 5_000)).toEqual({ kind: 'gone' });
    expect([ends, worker.isAlive]).toEqual([1, false]);
  });

  it('tells a worker that ends by itself', async () => {
    const worker = doubler();
    expect(await worker.run(-1, 5_000)).toEqual({ kind: 'gone' });
    expect(worker.isAlive).toBe(false);
  });
});
