import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AllowedFolders } from './adapters/allowed-folders.js';
import type { PlainFile } from './adapters/anchor.js';
import { DescriptorPaths } from './adapters/descriptor-paths.js';
import { FileRefused } from './adapters/file-errors.js';
import { LocalFiles } from './adapters/local-files.js';
import { maxFileBytes, workplace, type Workplace } from './file-tools.fixture.js';

/** Runs until stopped, as fast as it can; `data` is its argument. */
async function racer(body: string, data: Record<string, string>): Promise<{ stop(): Promise<number> }> {
  const code = `
    const { parentPort, workerData: d } = require('node:worker_threads');
    const fs = require('node:fs');
    const flag = new Int32Array(d.flag);
    parentPort.postMessage('running');
    while (Atomics.load(flag, 0) === 0) { try { ${body} } catch {} Atomics.add(flag, 1, 1); }`;
  const flag = new SharedArrayBuffer(8);
  const view = new Int32Array(flag);
  const worker = new Worker(code, { eval: true, workerData: { ...data, flag } });
  await new Promise((resolve) => worker.once('message', resolve));
  return {
    async stop() {
      const ended = new Promise((resolve) => worker.once('exit', resolve));
      Atomics.store(view, 0, 1);
      await ended;
      return view[1] ?? 0;
    },
  };
}

/** What must not be built: the path is checked, then opened by its name again. */
class CheckThenOpen extends DescriptorPaths {
  constructor(private readonly checked: AllowedFolders) {
    super(checked);
  }

  override async openFile(path: string): Promise<PlainFile> {
    if (!(await this.checked.contain(await realpath(path)))) throw new FileRefused('not_allowed');
    const handle = await open(path);
    return { handle, stat: await handle.stat({ bigint: true }) };
  }
}

describe('while another thread swaps what a path means', () => {
  let place: Workplace;
  beforeEach(() => {
    place = workplace((folders) => new DescriptorPaths(folders));
    writeFileSync(join(place.outside, 'file'), 'secret');
    writeFileSync(join(place.inside, 'real'), 'public');
    mkdirSync(join(place.inside, 'folder'));
    writeFileSync(join(place.inside, 'folder', 'file'), 'public');
  });
  afterEach(() => {
    place.remove();
  });

  const swapLink = `
    fs.symlinkSync(d.outside + '/file', d.inside + '/t'); fs.renameSync(d.inside + '/t', d.inside + '/swapped');
    fs.symlinkSync(d.inside + '/real', d.inside + '/t'); fs.renameSync(d.inside + '/t', d.inside + '/swapped');`;

  it('a build that checks before it opens reads secrets: the race is real', { timeout: 60_000 }, async () => {
    const naive = new LocalFiles(new CheckThenOpen(new AllowedFolders([place.inside], [])), maxFileBytes);
    const running = await racer(swapLink, { inside: place.inside, outside: place.outside });
    let leaks = 0;
    for (let n = 0; n < 20_000 && leaks === 0; n += 1) {
      const read = await naive.read(join(place.inside, 'swapped'), AbortSignal.timeout(10_000));
      if (read.kind === 'read' && Buffer.from(read.bytes).toString() === 'secret') leaks += 1;
    }
    await running.stop();
    expect(leaks).toBeGreaterThan(0);
  });

  it('reads nothing from outside in 6,000 tries', { timeout: 60_000 }, async () => {
    const running = await racer(swapLink, { inside: place.inside, outside: place.outside });
    const seen = new Map<string, number>();
    for (let n = 0; n < 6_000; n += 1) {
      const end = await place.call('file_read', { path: join(place.inside, 'swapped') });
      const text = end.kind === 'said' ? end.texts[0] : 'refused';
      seen.set(text, (seen.get(text) ?? 0) + 1);
    }
    expect(await running.stop()).toBeGreaterThan(100);
    expect(seen.get('secret')).toBeUndefined();
    expect(seen.get('public')).toBeGreaterThan(0);
    expect(seen.get('refused')).toBeGreaterThan(0);
  });

  it(
    'reads and writes nothing outside while a folder on the way is swapped for a link',
    { timeout: 60_000 },
    async () => {
      const swap = `
      fs.renameSync(d.inside + '/folder', d.inside + '/aside'); fs.symlinkSync(d.outside, d.inside + '/folder');
      fs.unlinkSync(d.inside + '/folder'); fs.renameSync(d.inside + '/aside', d.inside + '/folder');`;
      const running = await racer(swap, { inside: place.inside, outside: place.outside });
      const path = join(place.inside, 'folder', 'file');
      let wrote = 0;
      for (let n = 0; n < 3_000; n += 1) {
        const read = await place.call('file_read', { path });
        expect(read).not.toEqual({ kind: 'said', texts: ['secret'] });
        if (n % 6 !== 0) continue;
        const end = await place.call('file_write', { path, content: `written ${String(n)}` });
        if (end.kind === 'said') wrote += 1;
      }
      expect(await running.stop()).toBeGreaterThan(100);
      expect(wrote).toBeGreaterThan(0);
      expect(readFileSync(join(place.outside, 'file'), 'utf8')).toBe('secret');
      expect(readdirSync(place.outside)).toEqual(['file']);
    },
  );

  it('never shows a half-written file, and leaves no draft', { timeout: 60_000 }, async () => {
    const path = join(place.inside, 'real');
    const contents = ['a'.repeat(9_000), 'b'.repeat(9_000)];
    await place.call('file_write', { path, content: contents[0] ?? '' });
    const look = `
      const text = fs.readFileSync(d.path, 'utf8');
      if (text !== 'a'.repeat(9000) && text !== 'b'.repeat(9000)) fs.writeFileSync(d.broken, String(text.length));`;
    const broken = join(place.outside, 'broken');
    const running = await racer(look, { path, broken });
    for (let n = 0; n < 300; n += 1) await place.call('file_write', { path, content: contents[n % 2] ?? '' });
    expect(await running.stop()).toBeGreaterThan(100);
    expect(existsSync(broken)).toBe(false);
    expect(readdirSync(place.inside).sort()).toEqual(['.uar', 'folder', 'real']);
  });
});
