import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SweptLog } from './swept-log.js';

let folder: string;
let database: Database.Database;
const file = () => join(folder, 'some.db');
const names = (text: string): boolean =>
  [file(), `${file()}-wal`].some((path) => readFileSync(path).includes(text));

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'uar-swept-'));
  database = new Database(file());
  database.pragma('journal_mode = WAL');
  database.pragma('secure_delete = ON');
  database.exec(`CREATE TABLE kept (text TEXT); INSERT INTO kept VALUES ('forgettable-badger')`);
  database.exec('DELETE FROM kept');
});
afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true, force: true });
});

it('is emptied as soon as nobody reads in it any more, and is not looked at all the time until then', () => {
  let now = 0;
  const log = new SweptLog(database, () => now);
  log.tidy();
  expect(names('forgettable-badger')).toBe(true);
  const reader = new Database(file(), { readonly: true });
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM kept').get();
  database.exec(`INSERT INTO kept VALUES ('later')`);
  log.soil();
  log.tidy();
  expect(names('forgettable-badger')).toBe(true);
  reader.exec('COMMIT');
  reader.close();
  now += 100;
  log.tidy();
  expect(names('forgettable-badger')).toBe(true);
  now += 500;
  log.tidy();
  expect(names('forgettable-badger')).toBe(false);
});
