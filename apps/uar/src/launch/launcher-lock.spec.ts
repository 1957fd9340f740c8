import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { takeLauncherLock } from './launcher-lock.js';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'uar-lock-'));
  file = join(folder, 'launcher.lock');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the lock of the launcher', () => {
  it('is had once, names its holder, and can be had again once released', () => {
    const first = takeLauncherLock(folder);
    if (first.kind === 'held') throw new Error('a fresh folder is locked');
    expect(takeLauncherLock(folder)).toEqual({ kind: 'held', pid: process.pid });
    first.release();
    expect(readdirSync(folder)).toEqual([]);
    expect(takeLauncherLock(folder).kind).toBe('taken');
    expect(readdirSync(folder)).toEqual(['launcher.lock']);
  });

  it.each([
    ['a process that is gone', JSON.stringify({ pid: 2 ** 22 + 1, started: '1' })],
    ['a pid that another process has now', JSON.stringify({ pid: process.pid, started: '1' })],
    ['half a file', '{"pid":'],
  ])('is taken over from %s', (_what, text) => {
    writeFileSync(file, text);
    expect(takeLauncherLock(folder).kind).toBe('taken');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ pid: process.pid });
    expect(readdirSync(folder)).toEqual(['launcher.lock']);
  });

  it('is not released by one who lost it', () => {
    const lock = takeLauncherLock(folder);
    const others = JSON.stringify({ pid: 1, started: '' });
    writeFileSync(file, others);
    if (lock.kind === 'taken') lock.release();
    expect(readFileSync(file, 'utf8')).toBe(others);
  });
});
