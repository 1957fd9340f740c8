import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createHub, type Hub } from '@uar/bus';
import { createLog } from '@uar/telemetry';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { World } from './connector.fixture.js';

const log = createLog({ service: 'test', level: 'silent' });

/** The program of an installed package. */
function binOf(name: string): string {
  const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`);
  const { bin } = createRequire(import.meta.url)(manifest) as { bin: Record<string, string> };
  return join(dirname(manifest), Object.values(bin)[0] ?? '');
}

describe('real MCP servers behind the connector', () => {
  let hub: Hub;
  let world: World;
  let files: string;
  beforeAll(async () => {
    hub = createHub();
    files = realpathSync(mkdtempSync(join(tmpdir(), 'uar-files-')));
    writeFileSync(join(files, 'note.txt'), 'remember');
    const run = (name: string, ...args: string[]) => ({
      transport: 'stdio' as const,
      command: process.execPath,
      args: [binOf(name), ...args],
    });
    world = await World.start((service) => Promise.resolve(hub.connect({ service, log })), {
      everything: run('@modelcontextprotocol/server-everything'),
      files: run('@modelcontextprotocol/server-filesystem', files),
    });
    await Promise.all([world.untilReady('everything'), world.untilReady('files')]);
  });
  afterAll(async () => {
    await world.stop();
    await hub.close();
    rmSync(files, { recursive: true });
  });

  it('lists and calls server-everything, to which it declares no capabilities', async () => {
    expect(world.report('everything')).toMatchObject({ tool_count: 13 });
    expect(world.report('everything')?.incomplete).toBeUndefined();
    expect(await world.textOf('everything', 'echo', { message: 'hello' })).toContain('hello');
    const long = await world.run('everything', 'trigger-long-running-operation', {
      args: { duration: 0.2, steps: 2 },
      wants_progress: true,
    });
    expect(long).toMatchObject({ kind: 'ran', is_error: false });
  });

  it('reads a file through server-filesystem, and keeps its refusal a tool error', async () => {
    expect(await world.textOf('files', 'read_text_file', { path: join(files, 'note.txt') })).toBe('remember');
    expect(await world.run('files', 'read_text_file', { args: { path: '/etc/hostname' } })).toMatchObject({
      kind: 'ran',
      is_error: true,
    });
  });
});
