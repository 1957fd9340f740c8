import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtLibrary, runModule } from './parent.fixture.js';
import { sweepOrphans } from './marker.js';
import { gone, isAlive } from './process.fixture.js';

let folder: string;
beforeAll(() => {
  folder = builtLibrary();
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A parent whose child started `script` says; the script prints one pid per line. */
const parentOf = async (script: string, before = ''): ReturnType<typeof runModule> =>
  await runModule(`
    ${before}
    const { launch } = await import(${JSON.stringify(pathToFileURL(join(folder, 'launch.mjs')).href)});
    const { child } = await launch({ command: '/bin/sh', args: ['-c', ${JSON.stringify(script)}],
      environment: { ambient: process.env, configured: {} }, owner: ${JSON.stringify(folder)} });
    child.stdout.pipe(process.stdout);
    setInterval(() => {}, 1000);
  `);

const stubborn = 'trap "" TERM; echo $$; while :; do sleep 1000; done';

describe('when the parent is killed with SIGKILL', () => {
  it('ends its children, what they started, and what left their group (P2)', async () => {
    const script = `setsid sh -c '${stubborn}' & sleep 1000 & echo $!; ${stubborn}`;
    const { parent, line } = await parentOf(script);
    const pids = [Number(await line()), Number(await line()), Number(await line())];
    expect(pids.every(isAlive)).toBe(true);
    process.kill(parent.pid, 'SIGKILL');
    await Promise.all(pids.map(gone));
  });

  it('sweeps at the next start what no guard ended, and only the orphans of that owner', async () => {
    const withoutGuard = `
      const childProcess = (await import('node:module')).createRequire(import.meta.url)('node:child_process');
      const spawn = childProcess.spawn;
      childProcess.spawn = (command, args, options) => args[0] === '-c' && /marker=/.test(args[1])
        ? spawn('/bin/false', [], options) : spawn(command, args, options);
      (await import('node:module')).syncBuiltinESMExports();`;
    const orphaned = await parentOf(`setsid sh -c '${stubborn}' & wait`, withoutGuard);
    const orphan = Number(await orphaned.line());
    const living = await parentOf(stubborn);
    const kept = Number(await living.line());

    expect(await sweepOrphans(folder)).toBe(0);
    process.kill(orphaned.parent.pid, 'SIGKILL');
    await gone(orphaned.parent.pid);
    expect(await sweepOrphans('another owner')).toBe(0);
    expect(isAlive(orphan)).toBe(true);
    expect(await sweepOrphans(folder)).toBeGreaterThan(0);
    await gone(orphan);
    expect(isAlive(kept)).toBe(true);
    process.kill(living.parent.pid, 'SIGKILL');
    await gone(kept);
  });
});
