import { describe, expect, it } from 'vitest';
import { launch } from './launch.js';
import { firstLine, gone, isAlive, launched, shell } from './process.fixture.js';

const node = process.execPath;

async function text(stream: NodeJS.ReadableStream): Promise<string> {
  let all = '';
  for await (const chunk of stream) all += String(chunk);
  return all;
}

describe('launch', () => {
  it('gives the child what is listed, its home and the configured values, and nothing else of ours', async () => {
    const child = await launched({
      command: node,
      args: ['-e', 'console.log(JSON.stringify(process.env))'],
      environment: {
        ambient: {
          PATH: '/usr/bin',
          TZ: 'UTC',
          LANG: '',
          UAR_JWT_SECRET: 'ours',
          AWS_KEY: 'ours',
          HOME: '/home/ours',
        },
        home: '/tmp/private-home',
        configured: { TOKEN: 'theirs', LANG: 'C' },
      },
    });
    const { UAR_CHILD_MARKER, ...rest } = JSON.parse(await text(child.stdout)) as Record<string, string>;
    expect(UAR_CHILD_MARKER).toMatch(/^[0-9a-f.]+$/);
    expect(rest).toEqual({
      PATH: '/usr/bin',
      TZ: 'UTC',
      LANG: 'C',
      HOME: '/tmp/private-home',
      TOKEN: 'theirs',
    });
    expect(await child.exited).toEqual({ code: 0, signal: null });
  });

  it('reports what cannot be started without repeating the command line', async () => {
    for (const command of ['/no/such/program', '/tmp', 'bad\0name']) {
      const result = await launch({
        command,
        args: ['--token=s3cret'],
        environment: { ambient: {}, configured: {} },
        owner: 'sandbox spec',
      });
      expect(result.kind).toBe('failed');
      expect(JSON.stringify(result)).not.toContain('s3cret');
    }
  });

  it('drains stderr into a bounded ring, however much is written before the first answer (P3)', async () => {
    const child = await launched({
      command: node,
      args: ['-e', 'process.stderr.write("x".repeat(2_000_000) + "the end", () => console.log("answer"))'],
      stderrRingBytes: 1000,
    });
    expect(await firstLine(child.stdout)).toBe('answer');
    await child.exited;
    expect(child.stderrBytes()).toBe(2_000_007);
    expect(child.stderrTail()).toBe(`${'x'.repeat(993)}the end`);
  });

  it('stops a well-behaved child by closing its stdin', async () => {
    const child = await shell('cat; echo done');
    const output = text(child.stdout);
    child.stdin.write('hello\n');
    expect(await child.stop({ graceMs: 10_000 })).toEqual({ code: 0, signal: null });
    expect(await output).toBe('hello\ndone\n');
  });

  it('leaves nothing of `sh -c "server & wait"` (P2)', async () => {
    const child = await shell('sleep 1000 & echo $!; wait');
    const grandchild = Number(await firstLine(child.stdout));
    expect(isAlive(grandchild)).toBe(true);
    await child.stop({ graceMs: 200 });
    await gone(grandchild);
    expect(isAlive(child.pid)).toBe(false);
  });

  it('leaves nothing of descendants that left the group with setsid', async () => {
    const child = await shell('setsid sh -c "echo \\$\\$; trap : TERM; while :; do sleep 1000; done" & wait');
    const escapee = Number(await firstLine(child.stdout));
    await child.stop({ graceMs: 200 });
    await gone(escapee);
  });

  it('ends a child that ignores SIGTERM and its stdin within the grace (P8)', async () => {
    const child = await launched({
      command: node,
      args: ['-e', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); console.log("up")'],
    });
    await firstLine(child.stdout);
    const start = performance.now();
    expect(await child.stop({ graceMs: 400 })).toEqual({ code: null, signal: 'SIGKILL' });
    expect(performance.now() - start).toBeLessThan(3_000);
  });

  it('clears the group when the leader exits on its own', async () => {
    const child = await shell('sleep 1000 & echo $!; exit 3');
    const grandchild = Number(await firstLine(child.stdout));
    expect(await child.exited).toEqual({ code: 3, signal: null });
    await gone(grandchild);
  });

  it('answers every stop with the same exit', async () => {
    const child = await shell('cat');
    const exits = await Promise.all([
      child.stop({ graceMs: 5_000 }),
      child.stop({ graceMs: 1 }),
      child.exited,
    ]);
    expect(exits).toEqual(Array(3).fill({ code: 0, signal: null }));
    expect(await child.stop({ graceMs: 0 })).toEqual({ code: 0, signal: null });
  });
});
