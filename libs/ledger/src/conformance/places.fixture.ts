import { afterAll, beforeAll, describe } from 'vitest';
import type { Ledger } from '../ledger.js';
import { openLedger } from '../open-ledger.js';
import { ledgerFolder } from './samples.fixture.js';

const places = ['a file', 'memory'] as const;

/** The same promises of a ledger on disk and of one in memory. `ledger` may be called inside tests only. */
export function inEveryPlace(of: string, promises: (ledger: () => Ledger) => void): void {
  describe.each(places)(`${of} of a ledger in %s`, (place) => {
    const folder = ledgerFolder();
    let ledger: Ledger | undefined;

    beforeAll(async () => {
      ledger = await openLedger(
        place === 'memory' ? { ...folder.options, file: ':memory:' } : folder.options,
      );
    });
    afterAll(async () => {
      await ledger?.close();
      folder.remove();
    });
    promises(() => {
      if (!ledger) throw new Error('asked for before it was opened');
      return ledger;
    });
  });
}
