import { once } from 'node:events';
import { EventEmitter } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { SupervisedProcess } from './supervised-process.js';

const started: SupervisedProcess[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((process) => process.stop(0)));
});

function supervise(script: string) {
  const events = new EventEmitter();
  const said: string[] = [];
  const pids: number[] = [];
  const process = new SupervisedProcess({
    name: 'gateway',
    command: globalThis.process.execPath,
    args: ['-e', script],
    env: () => ({ PATH: globalThis.process.env['PATH'] ?? '' }),
    owner: 'supervised-process.spec',
    onMessage: (message) => {
      pids.push(Number(message));
      process.markReady();
      events.emit('ready');
    },
    onLine: () => undefined,
    say: (line) => said.push(line),
    firstDelayMs: 10,
  });
  started.push(process);
  return { process, said, pids, events };
}

const serve = 'process.send(process.pid); setInterval(() => {}, 1000);';

describe('a supervised process', () => {
  it('is started again when it is killed, and that is said', async () => {
    const { process, said, pids, events } = supervise(serve);
    await process.start();
    const again = once(events, 'ready');
    globalThis.process.kill(pids[0] ?? 0, 'SIGKILL');
    await again;
    expect(pids).toHaveLength(2);
    expect(pids[1]).not.toBe(pids[0]);
    expect(said).toEqual(['gateway ended (signal SIGKILL); it is started again in 0.01 s']);
    await process.stop(5_000);
    expect(() => globalThis.process.kill(pids[1] ?? 0, 0)).toThrow();
  });

  it('stays ended when it was asked to end', async () => {
    const { process, said, pids } = supervise(`${serve} process.on('SIGTERM', () => process.exit(0));`);
    await process.start();
    expect(await process.stop(5_000)).toBe(true);
    expect(() => globalThis.process.kill(pids[0] ?? 0, 0)).toThrow();
    expect(said).toEqual([]);
  });

  it('is killed when it does not end in time', async () => {
    const { process, pids } = supervise(`process.on('SIGTERM', () => {}); ${serve}`);
    await process.start();
    expect(await process.stop(50)).toBe(false);
    expect(() => globalThis.process.kill(pids[0] ?? 0, 0)).toThrow();
  });

  it('fails to start when it ends before it is ready', async () => {
    const { process, said } = supervise('process.exit(2)');
    await expect(process.start()).rejects.toThrow('gateway ended before it was ready (exit code 2)');
    expect(said).toEqual([]);
  });
});
