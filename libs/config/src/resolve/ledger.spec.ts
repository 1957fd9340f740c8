import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ledgerPlace, loadConfig, printConfig, type LoadOptions } from '../index.js';

let cwd: string;
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'uar-ledger-config-'));
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const url = 'postgres://uar@db.example/uar';

function load(options: Partial<LoadOptions> = {}) {
  return loadConfig({ env: {}, cwd, file: null, generate: false, ...options });
}

function good(options: Partial<LoadOptions> = {}) {
  const loaded = load(options);
  if (loaded.kind === 'bad') throw new Error(JSON.stringify(loaded.problems));
  return loaded.config;
}

describe('the place of the ledger', () => {
  it('is a file in the data folder where nothing is said', () => {
    expect(ledgerPlace(good({ overrides: { data_dir: '/d' } }))).toEqual({
      ...{ kind: 'sqlite', file: '/d/ledger.db', headsFile: '/d/heads.jsonl' },
    });
    const named = good({ overrides: { data_dir: '/d', ledger: { file: 'other.db' } } });
    expect(ledgerPlace(named)).toMatchObject({ file: '/d/other.db' });
  });

  it('is the database of the URL, with the trimmed content of the file as its password', () => {
    writeFileSync(join(cwd, 'pw'), '  planted password \r\n\n');
    const config = good({ env: { UAR_LEDGER_URL: url, UAR_LEDGER_PASSWORD_FILE: 'pw' } });
    expect(config.ledger.password_file).toBe(join(cwd, 'pw'));
    expect(ledgerPlace(config)).toEqual({ kind: 'postgres', url, password: 'planted password' });
    expect(printConfig(config)).toContain('url: postgres://***@db.example/uar');
    expect(printConfig(config)).not.toContain('planted');
  });

  it('needs no password', () => {
    expect(ledgerPlace(good({ overrides: { ledger: { url } } }))).toEqual({ kind: 'postgres', url });
  });

  it('takes a file of the environment beside a URL of uar.yaml', () => {
    const file = join(cwd, 'uar.yaml');
    writeFileSync(file, `ledger: { url: "${url}" }\n`);
    writeFileSync(join(cwd, 'pw'), 'planted');
    const config = good({ file, env: { UAR_LEDGER_PASSWORD_FILE: 'pw' } });
    expect(ledgerPlace(config)).toMatchObject({ url, password: 'planted' });
  });
});

describe('the file with the password', () => {
  const problemsOf = (options: Partial<LoadOptions>) => {
    const loaded = load({ overrides: { ledger: { url, password_file: 'gone' } }, ...options });
    return loaded.kind === 'ok' ? [] : loaded.problems;
  };

  it('has to be there where the ledger is opened and where everything is checked, not in other services', () => {
    const absent = [{ path: 'ledger.password_file', message: `${join(cwd, 'gone')} does not exist` }];
    expect(problemsOf({ service: 'approval-service' })).toEqual(absent);
    expect(problemsOf({ whole: true })).toEqual(absent);
    expect(problemsOf({ service: 'gateway' })).toEqual([]);
  });

  it('may not be empty', () => {
    writeFileSync(join(cwd, 'empty'), ' \n');
    const overrides = { ledger: { url, password_file: 'empty' } };
    expect(problemsOf({ overrides, whole: true })).toEqual([
      { path: 'ledger.password_file', message: `${join(cwd, 'empty')} is empty` },
    ]);
  });

  it('is no folder', () => {
    const overrides = { ledger: { url, password_file: cwd } };
    expect(problemsOf({ overrides, whole: true })).toEqual([
      { path: 'ledger.password_file', message: `${cwd} cannot be read (EISDIR)` },
    ]);
  });
});

describe('the file of certificates that the URL names', () => {
  const problemsOf = (query: string, options: Partial<LoadOptions> = { whole: true }) => {
    const loaded = load({ overrides: { ledger: { url: `${url}?${query}` } }, ...options });
    return loaded.kind === 'ok' ? [] : loaded.problems;
  };
  const absent = [{ path: 'ledger.url', message: 'names an sslrootcert that does not exist' }];

  it('has to be there where the ledger is opened and where everything is checked, not in other services', () => {
    const gone = `sslrootcert=${join(cwd, 'gone.pem')}`;
    expect(problemsOf(gone)).toEqual(absent);
    expect(problemsOf(gone, { service: 'approval-service' })).toEqual(absent);
    expect(problemsOf(gone, { service: 'gateway' })).toEqual([]);
  });

  it('is no folder', () => {
    const message = 'names an sslrootcert that cannot be read (EISDIR)';
    expect(problemsOf(`sslmode=verify-ca&sslrootcert=${cwd}`)).toEqual([{ path: 'ledger.url', message }]);
  });

  it('is not looked for where nothing is encrypted, or the URL is bad anyway', () => {
    expect(problemsOf('sslmode=disable&sslrootcert=gone.pem')).toEqual([]);
    expect(problemsOf('sslmode=prefer&sslrootcert=gone.pem')).toHaveLength(1);
  });

  it('is all that is asked for', () => {
    writeFileSync(join(cwd, 'ca.pem'), 'certificates');
    expect(problemsOf(`sslrootcert=${join(cwd, 'ca.pem')}`)).toEqual([]);
  });
});
