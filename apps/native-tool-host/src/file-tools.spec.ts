import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { runOnce } from '@uar/sandbox';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AllowedFolders } from './adapters/allowed-folders.js';
import { CheckedPaths } from './adapters/checked-paths.js';
import { DescriptorPaths } from './adapters/descriptor-paths.js';
import { LocalFiles } from './adapters/local-files.js';
import type { Edit, Edited } from './domain/files.js';
import type { ToolEnd } from './domain/native-tool.js';
import { maxFileBytes, maxWriteBytes, workplace, type Workplace } from './file-tools.fixture.js';

const said = (...texts: string[]): unknown => ({ kind: 'said', texts });
const failed = (part: string): unknown => ({ kind: 'failed', text: expect.stringContaining(part) });
const notAllowed = failed('not inside a folder');
const notPlain = failed('regular file');
const notFound = failed('no such file');

describe.each([
  ['descriptors', DescriptorPaths],
  ['checked paths', CheckedPaths],
])('file tools over %s', (_name, Paths) => {
  let place: Workplace;
  beforeEach(() => {
    place = workplace((folders) => new Paths(folders));
  });
  afterEach(() => {
    place.remove();
  });

  const read = (path: string, more: Record<string, unknown> = {}): Promise<ToolEnd> =>
    place.call('file_read', { path, ...more });
  const write = (path: string, content: string, more: Record<string, unknown> = {}): Promise<ToolEnd> =>
    place.call('file_write', { path, content, ...more });

  /** Path of a file with this content, inside. */
  function given(name: string, content: string | Uint8Array): string {
    const path = join(place.inside, name);
    writeFileSync(path, content);
    return path;
  }

  it('write, append, patch and read a file', async () => {
    const path = join(place.inside, 'notes.txt');
    expect(await write(path, 'one\n')).toEqual(said('Wrote 4 bytes.'));
    expect(await write(path, 'two\n', { append: true })).toEqual(said('Wrote 8 bytes.'));
    const patch = { path, old_string: 'one', new_string: 'öne' };
    expect(await place.call('file_patch', patch)).toEqual(said('Wrote 9 bytes.'));
    expect(await read(path)).toEqual(said('öne\ntwo\n'));
    expect(await read(path, { offset_lines: 1, limit_lines: 1 })).toEqual(
      said('two\n', '(lines 2 to 2 of 2)'),
    );
    expect(readdirSync(place.inside).sort()).toEqual(['.uar', 'notes.txt']);
  });

  it('refuse every path that is outside by its text', async () => {
    writeFileSync(join(place.outside, 'secret'), 'secret');
    const paths = [
      join(place.outside, 'secret'),
      `${place.inside}/../work-of-others/secret`,
      `${place.inside}-of-others/secret`,
      `${place.inside}/x/../notes`,
      'notes',
      '/etc/passwd',
      '/proc/self/environ',
      `/proc/self/root${place.inside}/notes`,
      '/',
      `${place.inside}/a\u0000b`,
    ];
    for (const path of paths) {
      expect(await read(path)).toEqual(notAllowed);
      expect(await write(path, 'x')).toEqual(notAllowed);
      expect(await place.call('file_patch', { path, old_string: 'e', new_string: 'x' })).toEqual(notAllowed);
    }
    expect(readFileSync(join(place.outside, 'secret'), 'utf8')).toBe('secret');
  });

  it('refuse links that lead outside, and follow links that stay inside for reading only', async () => {
    writeFileSync(join(place.outside, 'secret'), 'secret');
    const target = given('target', 'content');
    const links = { out: join(place.outside, 'secret'), folder: place.outside, etc: '/etc', own: target };
    for (const [name, to] of Object.entries(links)) symlinkSync(to, join(place.inside, name));
    symlinkSync('loop', join(place.inside, 'loop'));
    for (const name of ['out', 'folder/secret', 'etc/passwd', 'loop'])
      expect(await read(join(place.inside, name))).toEqual(notAllowed);
    for (const name of ['folder/new', 'etc/new'])
      expect(await write(join(place.inside, name), 'x')).toEqual(notAllowed);
    for (const name of ['out', 'own', 'loop'])
      expect((await write(join(place.inside, name), 'x')).kind).toBe('failed');
    expect(await read(join(place.inside, 'own'))).toEqual(said('content'));
    expect(readFileSync(join(place.outside, 'secret'), 'utf8')).toBe('secret');
    expect(existsSync(join(place.outside, 'new'))).toBe(false);
  });

  it('refuse folders, hard links, pipes and sockets, at once', async () => {
    writeFileSync(join(place.outside, 'secret'), 'secret');
    linkSync(join(place.outside, 'secret'), join(place.inside, 'hard'));
    const pipe = join(place.inside, 'pipe');
    await runOnce({ command: 'mkfifo', args: [pipe], env: { PATH: '/usr/bin:/bin' } });
    expect(statSync(pipe).isFIFO()).toBe(true);
    const server = createServer().listen(join(place.inside, 'socket'));
    await new Promise((resolve) => server.once('listening', resolve));
    for (const name of ['hard', 'pipe', 'socket', '.']) {
      const path = name === '.' ? place.inside : join(place.inside, name);
      expect((await read(path)).kind).toBe('failed');
      expect((await write(path, 'x')).kind).toBe('failed');
      expect((await write(path, 'x', { append: true })).kind).toBe('failed');
    }
    expect(await read(join(place.inside, 'hard'))).toEqual(notPlain);
    expect(await read(pipe)).toEqual(notPlain);
    expect(readFileSync(join(place.outside, 'secret'), 'utf8')).toBe('secret');
    await new Promise((resolve) => server.close(resolve));
  });

  it('refuse our own data inside an allowed folder, also through a link', async () => {
    writeFileSync(join(place.guarded, 'jwt.secret'), 'secret');
    symlinkSync('.uar', join(place.inside, 'alias'));
    for (const name of ['.uar/jwt.secret', 'alias/jwt.secret']) {
      expect(await read(join(place.inside, name))).toEqual(notAllowed);
      expect(await write(join(place.inside, name), 'x')).toEqual(notAllowed);
    }
    expect(await write(join(place.guarded, 'new'), 'x')).toEqual(notAllowed);
  });

  it('say what is missing', async () => {
    const nowhere = join(place.inside, 'nowhere');
    expect(await read(nowhere)).toEqual(notFound);
    expect(await write(join(nowhere, 'file'), 'x')).toEqual(notFound);
    expect(await place.call('file_patch', { path: nowhere, old_string: 'a', new_string: 'b' })).toEqual(
      notFound,
    );
    const path = given('file', 'aXbXc');
    const patch = (old_string: string, more: Record<string, unknown> = {}): Promise<ToolEnd> =>
      place.call('file_patch', { path, old_string, new_string: '-', ...more });
    expect(await patch('Y')).toEqual(failed('is not in the file'));
    expect(await patch('X')).toEqual(failed('2 times'));
    expect(readFileSync(path, 'utf8')).toBe('aXbXc');
    expect(await patch('X', { allow_multiple: true })).toEqual(said('Wrote 5 bytes.'));
    expect(readFileSync(path, 'utf8')).toBe('a-b-c');
  });

  it('keep limits of size and of text', async () => {
    const full = given('full', 'x'.repeat(maxFileBytes));
    const over = given('over', 'x'.repeat(maxFileBytes + 1));
    const binary = given('binary', new Uint8Array([0xff, 0xfe, 0]));
    expect((await read(full)).kind).toBe('said');
    expect(await read(over)).toEqual(failed('larger'));
    expect(await write(full, 'y', { append: true })).toEqual(failed('larger'));
    expect(await write(join(place.inside, 'big'), 'x'.repeat(maxWriteBytes + 1))).toEqual(failed('larger'));
    expect(await read(binary)).toEqual(failed('not UTF-8'));
    expect(await write(join(place.inside, 'half'), '\ud800')).toEqual(failed('Unicode'));
    expect(readdirSync(place.inside).sort()).toEqual(['.uar', 'binary', 'full', 'over']);
  });

  it('keep the mode of a file', async () => {
    const path = given('script', '#!/bin/sh\n');
    chmodSync(path, 0o750);
    await write(path, 'echo\n', { append: true });
    expect(statSync(path).mode & 0o7777).toBe(0o750);
  });

  it('lose no one of 60 concurrent appends and patches', async () => {
    const path = given('list', Array.from({ length: 30 }, (_, n) => `<${String(n)}>\n`).join(''));
    const work = Array.from({ length: 30 }, (_, n) => [
      place.call('file_patch', { path, old_string: `<${String(n)}>`, new_string: `[${String(n)}]` }),
      write(path, `+${String(n)}\n`, { append: true }),
    ]).flat();
    expect((await Promise.all(work)).map((end) => end.kind)).toEqual(Array(60).fill('said'));
    const lines = new Set(readFileSync(path, 'utf8').trimEnd().split('\n'));
    for (let n = 0; n < 30; n += 1) {
      expect(lines).toContain(`[${String(n)}]`);
      expect(lines).toContain(`+${String(n)}`);
    }
    expect(lines.size).toBe(60);
  });

  it('notice what others wrote between reading and replacing, and give up when they never stop', async () => {
    const path = given('shared', '1');
    const files = new LocalFiles(new Paths(new AllowedFolders([place.inside], [])), maxFileBytes);
    const edit = (interferences: number): Edit => ({
      readsCurrent: true,
      make(current) {
        interferences -= 1;
        if (interferences >= 0) appendFileSync(path, '2');
        return { kind: 'replace', bytes: Buffer.concat([current ?? Buffer.alloc(0), Buffer.from('3')]) };
      },
    });
    const signal = AbortSignal.timeout(10_000);
    expect(await files.change(path, edit(3), signal)).toEqual({ kind: 'changed', bytes: 5 });
    expect(readFileSync(path, 'utf8')).toBe('12223');
    expect(await files.change(path, edit(100), signal)).toEqual({ kind: 'problem', problem: 'contended' });
    expect(readFileSync(path, 'utf8')).toBe(`12223${'2'.repeat(8)}`);
    const fresh = join(place.inside, 'fresh');
    const make = (): Edited => {
      writeFileSync(fresh, 'theirs', { flag: 'a' });
      return { kind: 'replace', bytes: Buffer.from('ours') };
    };
    expect(await files.change(fresh, { readsCurrent: true, make }, signal)).toEqual({
      kind: 'problem',
      problem: 'contended',
    });
    expect(readFileSync(fresh, 'utf8')).toBe('theirs'.repeat(8));
  });

  it('leave nothing behind when a call ends before its change is in place', async () => {
    const path = given('file', 'old');
    mkdirSync(join(place.inside, 'deep'));
    const ended = AbortSignal.abort();
    const files = new LocalFiles(new Paths(new AllowedFolders([place.inside], [])), maxFileBytes);
    const edit = {
      readsCurrent: false,
      make: () => ({ kind: 'replace', bytes: Buffer.from('new') }) as const,
    };
    await expect(files.change(path, edit, ended)).rejects.toThrow();
    expect(readFileSync(path, 'utf8')).toBe('old');
    expect(readdirSync(place.inside).sort()).toEqual(['.uar', 'deep', 'file']);
  });
});
