import { copyFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { acme } from '../conformance/samples.fixture.js';
import { checkLedger } from './check.js';
import { CopyFolder, append } from './copy-folder.fixture.js';

let folder: CopyFolder;
beforeEach(() => {
  folder = new CopyFolder();
});
afterEach(() => folder.remove());

describe('a backup', () => {
  it('is one moment of a ledger that is written meanwhile, whole and readable by its owner alone', async () => {
    await folder.session(async (ledger) => {
      for (let n = 0; n < 20; n += 1) await append(100)(ledger);
      let isDone = false;
      const writing = (async () => {
        while (!isDone) {
          await append(20)(ledger);
          await new Promise((resolve) => setImmediate(resolve));
        }
      })();
      const made = await folder.backup();
      isDone = true;
      await writing;
      const chain = made.chains.get(acme);
      expect(chain).toMatchObject({ ok: true });
      expect(chain?.length).toBeGreaterThanOrEqual(2_000);
      expect(statSync(folder.copy).mode & 0o777).toBe(0o600);
      expect(made.bytes).toBe(statSync(folder.copy).size);
      expect(
        checkLedger({ file: folder.copy, headsFile: '/none', publicKeys: folder.publicKeys }),
      ).toMatchObject({
        backupAt: made.at,
        chains: new Map([[acme, chain]]),
      });
    });
    expect(folder.leftovers).toEqual([]);
  });

  it('is not made over another file, unless it may replace it', async () => {
    await folder.session(append(3));
    writeFileSync(folder.copy, 'precious');
    await expect(folder.backup()).rejects.toThrow('exists already');
    expect(readFileSync(folder.copy, 'utf8')).toBe('precious');
    expect(await folder.backup({ replace: true })).toMatchObject({ bytes: statSync(folder.copy).size });
  });

  it('is not made of a ledger whose chain is broken, and leaves nothing behind', async () => {
    await folder.session(append(5));
    const tamper = `UPDATE receipts SET receipt = replace(receipt, '"completed"', '"tool_error"') WHERE seq = 3`;
    folder.edit(folder.options.file, tamper);
    await expect(folder.backup()).rejects.toThrow(/the chain of tenant acme is broken at receipt 3/);
    expect(existsSync(folder.copy)).toBe(false);
    expect(folder.leftovers).toEqual([]);
  });

  it('is made of what a crash left', async () => {
    await folder.session(async (ledger) => {
      await append(7)(ledger);
      for (const suffix of ['', '-wal'])
        copyFileSync(`${folder.options.file}${suffix}`, `${folder.copy}.crash${suffix}`);
    });
    expect((await folder.backup({ file: `${folder.copy}.crash` })).chains.get(acme)).toMatchObject({
      ok: true,
      length: 7,
    });
  });
});
