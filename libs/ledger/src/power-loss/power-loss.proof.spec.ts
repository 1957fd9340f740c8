import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { generateKeyPairSync, createPublicKey } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { verifyLedgerFile } from '../chain/verify-file.js';
import { acme } from '../conformance/samples.fixture.js';
import { SameThread } from '../thread/same-thread.js';
import { openEngine } from '../sqlite/engine.js';
import { Disk, readRecord, type Acknowledged, type FileOperation } from './crashed-files.fixture.js';

const home = mkdtempSync(join(tmpdir(), 'uar-power-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const { privateKey: signingKey } = generateKeyPairSync('ed25519');
const keyFile = join(home, 'key.pem');
writeFileSync(keyFile, signingKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });

const recorder = join(home, 'recorder.so');
const source = fileURLToPath(new URL('./recorder.c', import.meta.url));
const isRecordable =
  process.platform === 'linux' &&
  spawnSync('cc', ['-shared', '-fPIC', '-O1', '-o', recorder, source, '-ldl', '-lpthread']).status === 0;
if (!isRecordable) console.warn('not run: simulated power loss (no cc, or not Linux)');

/** What a real ledger did to its files until it was killed. */
async function recorded(synchronous: string, rounds: number): Promise<readonly FileOperation[]> {
  const folder = join(home, synchronous);
  mkdirSync(folder);
  const record = join(home, `${synchronous}.record`);
  const hooks = new URL('../../../threads/sources/register.mjs', import.meta.url).href;
  const child = spawn(
    process.execPath,
    [
      '--import',
      hooks,
      fileURLToPath(new URL('./ledger-child.fixture.ts', import.meta.url)),
      folder,
      keyFile,
      synchronous,
      String(rounds),
    ],
    {
      env: { ...process.env, LD_PRELOAD: recorder, RECORD_DIR: folder, RECORD_FILE: record },
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
  return readRecord(record);
}

/** A row of numbers from 0 to 1 that is the same in every run. */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

interface Crashes {
  readonly operations: readonly FileOperation[];
  /** After how many operations the power is lost, ascending. */
  readonly at: readonly number[];
  /** How likely an operation that was not synced reached the disk. */
  readonly luck: number;
}

/** Of every crash what was acknowledged and is not there, or does not open; nothing when all is well. */
async function losses({ operations, at, luck }: Crashes): Promise<readonly string[]> {
  const random = numbersFrom(7);
  const disk = new Disk();
  const found: string[] = [];
  let applied = 0;
  for (const cut of at) {
    for (; applied < cut; applied += 1) disk.apply(operations[applied] as FileOperation);
    const folder = join(home, 'crash');
    disk.leave(folder, () => random() < luck);
    for (const problem of await missing(folder, disk.acknowledged())) found.push(`after ${cut}: ${problem}`);
    rmSync(folder, { recursive: true });
  }
  return found;
}

async function missing(folder: string, acknowledged: readonly Acknowledged[]): Promise<string[]> {
  const [file, headsFile] = [join(folder, 'ledger.db'), join(folder, 'heads.jsonl')];
  try {
    const ledger = new SameThread(openEngine({ file, headsFile, signingKey }));
    const lost: string[] = [];
    for (const each of lastWords(acknowledged))
      if (!(await holds(ledger, each))) lost.push(JSON.stringify(each));
    await ledger.close();
    const chain = verifyLedgerFile({ file, headsFile, publicKeys: [createPublicKey(signingKey)] }).get(acme);
    return chain?.ok === false ? [...lost, `the chain is broken: ${chain.problem ?? ''}`] : lost;
  } catch (error) {
    return [`it does not open: ${String(error)}`];
  }
}

/** All receipts; of each approval its last status. */
function lastWords(acknowledged: readonly Acknowledged[]): Iterable<Acknowledged> {
  return new Map(
    acknowledged.map((each) => [each.kind === 'receipt' ? String(each.seq) : each.approvalId, each]),
  ).values();
}

const order = ['pending', 'approved', 'consumed'];

/** An approval may be further than was said when the power went, never less far. */
async function holds(ledger: SameThread, what: Acknowledged): Promise<boolean> {
  if (what.kind === 'receipt') {
    const answer = await ledger.ask('readReceipt', { tenant: acme, seq: what.seq });
    return answer.kind === 'found' && answer.receipt.hash === what.hash;
  }
  const record = await ledger.ask('readApproval', { approvalId: what.approvalId });
  return record !== undefined && order.indexOf(record.status) >= order.indexOf(what.status);
}

/** As many places as wanted, spread over the whole record; half of them right behind something acknowledged. */
function cuts(operations: readonly FileOperation[], count: number): readonly number[] {
  const random = numbersFrom(count);
  const said = operations.flatMap(({ file }, index) => (file === 'acks' ? [index + 1] : []));
  const chosen = new Set<number>([operations.length]);
  while (chosen.size < count) {
    chosen.add(1 + Math.floor(random() * operations.length));
    chosen.add(said[Math.floor(random() * said.length)] ?? 1);
  }
  return [...chosen].sort((a, b) => a - b);
}

/** Seconds on a machine of its own; the disk of a busy one takes its time for each sync. */
const slowMs = 180_000;

describe.runIf(isRecordable)('the power lost at any moment', () => {
  it(
    'takes nothing that was acknowledged, and leaves a ledger that opens and verifies',
    async () => {
      const operations = await recorded('FULL', 90);
      const checkpoints = operations.filter(({ file, kind }) => file === 'ledger.db' && kind === 'sync');
      expect(checkpoints.length).toBeGreaterThan(1);
      const at = cuts(operations, 60);
      expect(at.length).toBeGreaterThanOrEqual(60);
      expect(await losses({ operations, at, luck: 0 })).toEqual([]);
      expect(await losses({ operations, at: at.filter((_, n) => n % 3 === 0), luck: 0.5 })).toEqual([]);
    },
    slowMs,
  );

  it.each(['OFF', 'NORMAL'])(
    'shows with a ledger that syncs less (%s)',
    async (synchronous) => {
      const operations = await recorded(synchronous, 12);
      expect(await losses({ operations, at: cuts(operations, 6), luck: 0 })).not.toEqual([]);
    },
    slowMs,
  );
});
