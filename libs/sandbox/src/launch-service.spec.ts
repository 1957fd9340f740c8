import { describe, expect, it } from 'vitest';
import { launchService, type ServiceProcess } from './launch-service.js';
import { runOnce } from './run-once.js';
import { gone, shellEnvironment } from './process.fixture.js';

const node = process.execPath;

async function service(
  script: string,
): Promise<ServiceProcess & { lines: string[]; message: Promise<unknown> }> {
  const lines: string[] = [];
  let onMessage: (message: unknown) => void = () => undefined;
  const message = new Promise((resolve) => {
    onMessage = resolve;
  });
  const started = await launchService({
    command: node,
    args: ['-e', script],
    env: { ...shellEnvironment, GIVEN: 'yes' },
    owner: 'sandbox spec',
    output: (line, stream) => lines.push(`${stream} ${line}`),
    onMessage,
  });
  if (started.kind === 'failed') throw new Error(started.message);
  return { ...started.service, lines, message };
}

describe('launchService', () => {
  it('passes lines, messages and the given environment', async () => {
    const run = await service(
      'console.log(process.env.GIVEN); console.error("two\\nthree"); process.send({ kind: "ready" }, () => process.disconnect())',
    );
    expect(await run.message).toEqual({ kind: 'ready' });
    expect(await run.exited).toEqual({ code: 0, signal: null });
    await expect.poll(() => run.lines.toSorted()).toEqual(['stderr three', 'stderr two', 'stdout yes']);
  });

  it('lets a service stop in order at SIGTERM', async () => {
    const run = await service(
      'process.on("SIGTERM", () => process.exit(7)); setInterval(() => {}, 1000); process.send("up")',
    );
    await run.message;
    expect(await run.stop({ graceMs: 10_000 })).toEqual({ code: 7, signal: null });
  });

  it('kills a service that does not, and what it started', async () => {
    const run = await service(
      `const sleeper = require('node:child_process').spawn('sleep', ['1000']);
       process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); process.send(sleeper.pid)`,
    );
    const sleeper = Number(await run.message);
    expect((await run.stop({ graceMs: 100 })).signal).toBe('SIGKILL');
    await gone(sleeper);
  });

  it('reports a program that is not there', async () => {
    const started = await launchService({
      command: '/no/such/program',
      args: [],
      env: {},
      owner: 'sandbox spec',
      output: 'inherit',
    });
    expect(started).toEqual({ kind: 'failed', message: 'the process could not be started (ENOENT)' });
  });
});

describe('runOnce', () => {
  const run = (script: string, options: object = {}): ReturnType<typeof runOnce> =>
    runOnce({ command: '/bin/sh', args: ['-c', script], env: shellEnvironment, ...options });

  it('gives code and both outputs', async () => {
    expect(await run('cat; echo oops >&2; exit 3', { input: 'hello' })).toEqual({
      code: 3,
      stdout: 'hello',
      stderr: 'oops\n',
    });
  });

  it('bounds time and output, and leaves nothing behind', async () => {
    expect(await run('sleep 1000 & wait', { timeoutMs: 50 })).toMatchObject({
      code: null,
      problem: 'timed_out',
    });
    const flood = await run('yes', { maxOutputBytes: 10_000 });
    expect(flood).toMatchObject({ code: null, problem: 'too_much_output' });
    expect(flood.stdout.length).toBeLessThanOrEqual(10_000);
  });

  it('says when the program did not start', async () => {
    expect(await runOnce({ command: '/no/such', args: [], env: {} })).toMatchObject({
      code: null,
      problem: 'not_started',
    });
  });
});
