import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtLibrary, runModule, runNeverReaped } from './parent.fixture.js';
import { sweepOrphans } from './marker.js';
import { gone, isAlive } from './process.fixture.js';

let folder: string;
beforeAll(() => {
  folder = builtLibrary();
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A module that starts `script` as a child of `owner`; the script prints one pid per line. */
const starting = (script: string, owner: string, before = ''): string => `
  ${before}
  const { launch } = await import(${JSON.stringify(pathToFileURL(join(folder, 'launch.mjs')).href)});
  const { child } = await launch({ command: '/bin/sh', args: ['-c', ${JSON.stringify(script)}],
    environment: { ambient: process.env, configured: {} }, owner: ${JSON.stringify(owner)} });
  child.stdout.pipe(process.stdout);
  setInterval(() => {}, 1000);
`;
/** Nobody else's children have it: what an earlier test left for its guard to end is not swept here. */
const newOwner = (): string => `${folder} ${randomUUID()}`;

/** To run before `starting`: no guard comes up. */
const withoutGuard = `
  const childProcess = (await import('node:module')).createRequire(import.meta.url)('node:child_process');
  const spawn = childProcess.spawn;
  childProcess.spawn = (command, args, options) => args[0] === '-c' && /marker=/.test(args[1])
    ? spawn('/bin/false', [], options) : spawn(command, args, options);
  (await import('node:module')).syncBuiltinESMExports();`;

const stubborn = 'trap "" TERM; echo $$; while :; do sleep 1000; done';
const leaving = `setsid sh -c '${stubborn}' & wait`;

describe('when the parent is killed with SIGKILL', () => {
  it('ends its children, what they started, and what left their group (P2)', async () => {
    const script = `setsid sh -c '${stubborn}' & sleep 1000 & echo $!; ${stubborn}`;
    const { parent, line } = await runModule(starting(script, newOwner()));
    const pids = [Number(await line()), Number(await line()), Number(await line())];
    expect(pids.every(isAlive)).toBe(true);
    process.kill(parent.pid, 'SIGKILL');
    await Promise.all(pids.map(gone));
  });

  it('sweeps at the next start what no guard ended, and only the orphans of that owner', async () => {
    const owner = newOwner();
    const orphaned = await runModule(starting(leaving, owner, withoutGuard));
    const orphan = Number(await orphaned.line());
    const living = await runModule(starting(stubborn, owner));
    const kept = Number(await living.line());

    expect(await sweepOrphans(owner)).toBe(0);
    process.kill(orphaned.parent.pid, 'SIGKILL');
    await gone(orphaned.parent.pid);
    expect(await sweepOrphans('another owner')).toBe(0);
    expect(isAlive(orphan)).toBe(true);
    expect(await sweepOrphans(owner)).toBeGreaterThan(0);
    await gone(orphan);
    expect(isAlive(kept)).toBe(true);
    process.kill(living.parent.pid, 'SIGKILL');
    await gone(kept);
  });

  it('sweeps also while nobody has waited for the dead parent', async () => {
    const owner = newOwner();
    const { parent, line } = await runNeverReaped(starting(leaving, owner, withoutGuard));
    const [dying, orphan] = [Number(await line()), Number(await line())];
    expect(await sweepOrphans(owner)).toBe(0);
    process.kill(dying, 'SIGKILL');
    await gone(dying);
    expect(await sweepOrphans(owner)).toBeGreaterThan(0);
    await gone(orphan);
    process.kill(parent.pid, 'SIGKILL');
  });
});
