import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clientAt } from '../client.js';
import { decideApprovals } from './approvers.js';
import { makeCalls } from './callers.js';
import { chanceOf, pause } from './chance.js';
import { check, type Violation } from './checker.js';
import { cause } from './faults.js';
import { Journal, type Note, readJournal } from './history.js';
import { type Plane, recovered, startPlane } from './plane.js';
import { readRecord } from './record.js';

export interface ChaosOptions {
  readonly seconds: number;
  /** The same seed makes the same choices; what comes of them is up to the machine. */
  readonly seed: number;
  /** Root of the build to run. */
  readonly root?: string;
  readonly ledger?: 'sqlite' | 'postgres';
  /** The one service to kill; without it, all of them. */
  readonly aim?: string;
  /** Longest time after the last fault until every intent has an outcome. */
  readonly settleMs?: number;
}

export interface ChaosReport {
  readonly violations: readonly Violation[];
  readonly notes: readonly Note[];
  /** Where the histories are; removed when nothing was found. */
  readonly folder: string;
  count(kind: Note['kind']): number;
}

const callers = 8;
/** Seconds of a run in which there is time for other faults beside a frozen gateway. */
export const shortestWithFreeze = 45;

/** Calls, votes and faults at once for some seconds; then quiet, and every actor's own history joined with the record. */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const folder = mkdtempSync(join(tmpdir(), 'uar-chaos-'));
  const plane = await startPlane({
    journal: join(folder, 'upstream.ndjson'),
    ...(options.root !== undefined && { root: options.root }),
    ...(options.ledger !== undefined && { ledger: options.ledger }),
  });
  try {
    await act(plane, folder, options);
    const adminAt = (door: 'A' | 'B') => clientAt(plane.doors[door], plane.product.token({ sub: 'auditor' }));
    await recovered(plane, adminAt);
    const recorded = await readRecord({
      url: plane.doors.A,
      client: adminAt('A'),
      dataDir: plane.product.dataDir,
      folder,
      limitMs: options.settleMs ?? 20_000,
    });
    const notes = readdirSync(folder)
      .filter((file) => file.endsWith('.ndjson') && file !== 'receipts.ndjson')
      .flatMap((file) => readJournal(join(folder, file)));
    const violations = check(notes, recorded);
    if (violations.length === 0) rmSync(folder, { recursive: true });
    const count = (kind: Note['kind']) => notes.filter((note) => note.kind === kind).length;
    return { violations, notes, folder, count };
  } finally {
    await plane.stop();
  }
}

/** Faults end first, votes last: whoever waits for a human is answered. */
async function act(plane: Plane, folder: string, { seconds, seed, aim }: ChaosOptions): Promise<void> {
  const calling = phase();
  const voting = phase();
  const actor = (name: string, nth: number) => ({
    name,
    plane,
    journal: new Journal(folder, name),
    chance: chanceOf(seed * 1_000 + nth),
  });
  const approvers = ['vera', 'viktor'].map((name, nth) =>
    decideApprovals({ ...actor(name, nth), going: voting.going }),
  );
  const freezes = aim === undefined && seconds >= shortestWithFreeze;
  const faults = cause({ ...actor('faults', 10), going: calling.going, aim, freezes });
  const calls = Array.from({ length: callers }, (_, nth) =>
    makeCalls({ ...actor(`caller${nth}`, 20 + nth), going: calling.going }),
  );
  await pause(seconds * 1_000);
  calling.end();
  await Promise.all([faults, ...calls]);
  voting.end();
  await Promise.all(approvers);
}

function phase(): { going(): boolean; end(): void } {
  let isOver = false;
  return {
    going: () => !isOver,
    end: () => {
      isOver = true;
    },
  };
}
