import { postgresMissing, sharedPostgresDatabase } from '@uar/testkit';
import { afterAll, beforeAll, describe } from 'vitest';
import type { Ledger } from '../ledger.js';
import { openLedger, type LedgerOptions } from '../open-ledger.js';
import { ledgerFolder } from './samples.fixture.js';

const places = ['a file', 'memory', 'Postgres'] as const;
type Place = (typeof places)[number];

/** A ledger that is not there yet. It is opened with the options, as often as is liked, and taken away in the end. */
export interface LedgerPlace {
  readonly options: LedgerOptions;
  remove(): void;
}

type Placed = () => Promise<LedgerPlace>;

/** The same promises of a ledger on disk, of one in memory and of one in Postgres. `ledger` may be called inside tests only. */
export function inEveryPlace(of: string, promises: (ledger: () => Ledger) => void): void {
  atEveryPlace(of, (placed) => {
    let ledger: Ledger | undefined;
    let place: LedgerPlace | undefined;
    beforeAll(async () => {
      place = await placed();
      ledger = await openLedger(place.options);
    });
    afterAll(async () => {
      await ledger?.close();
      place?.remove();
    });
    promises(() => {
      if (!ledger) throw new Error('asked for before it was opened');
      return ledger;
    });
  });
}

/** As often as there is something to open: each call of `placed` is a new place. `canReopen`: it lasts longer than a ledger. */
export function atEveryPlace(of: string, promises: (placed: Placed, canReopen: boolean) => void): void {
  eachPlace(of, places, (placed, place) => promises(placed, place !== 'memory'));
}

/** For promises that outlive the ledger that gave them. */
export function inEveryLastingPlace(of: string, promises: (placed: Placed) => void): void {
  eachPlace(of, ['a file', 'Postgres'], promises);
}

function eachPlace(
  of: string,
  among: readonly Place[],
  promises: (placed: Placed, place: Place) => void,
): void {
  for (const place of among) {
    const name = `${of} of a ledger in ${place}`;
    describe.skipIf(place === 'Postgres' && postgresMissing(of))(name, () =>
      promises(() => placeIn(place), place),
    );
  }
}

async function placeIn(place: Place): Promise<LedgerPlace> {
  const folder = ledgerFolder();
  if (place === 'a file') return folder;
  const { seal, signingKey } = folder.options;
  folder.remove();
  const where = place === 'memory' ? { file: ':memory:' } : await sharedPostgresDatabase();
  return { options: { ...where, seal, signingKey }, remove: () => undefined };
}
