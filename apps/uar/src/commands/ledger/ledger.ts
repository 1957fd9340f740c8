import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { redactUrls } from '@uar/config';
import { backupLedger, checkLedger, restoreLedger, type LostTail } from '@uar/ledger';
import { json } from '../../output.js';
import { CommandFailure, exit, type ExitCode, type World } from '../../world.js';
import { chainLine } from '../verify-receipts.js';
import { ledgerChains } from './ledger-chains.js';
import { chainRows, configuredLedger, progressLines } from './ledger-files.js';

export interface BackupFlags {
  readonly file: string;
  readonly force: boolean;
  readonly json: boolean;
}

/** Writes a verified copy of the ledger, while the product runs or not. */
export async function backupCommand(
  world: World,
  { file, force, json: asJson }: BackupFlags,
): Promise<ExitCode> {
  const to = resolve(world.cwd, file);
  if (!force && existsSync(to))
    throw new CommandFailure(exit.usage, `${to} exists already; name a new file, or replace it with --force`);
  const { config, place, publicKeys } = configuredLedger(world);
  const copying = { publicKeys, to, replace: force, progress: progressLines(world) };
  const made = await backupLedger(place.kind === 'postgres' ? place : { ...place, ...copying });
  const chains = chainRows(made.chains);
  if (asJson) world.out(json({ file: to, at: made.at, bytes: made.bytes, chains }));
  else {
    world.out(`${to}: ${made.bytes} bytes, verified\n`);
    for (const chain of chains) world.out(chainLine(chain));
    world.err(
      `it holds sealed values: without ${config.keys.data_key_file} they cannot be read; keep the keys apart\n`,
    );
  }
  return exit.ok;
}

export interface CheckFlags {
  /** A backup instead of the ledger. */
  readonly file?: string;
  readonly json: boolean;
}

/** Exit code 0 when every chain holds and, of a file, every page is in order; PostgreSQL has `pg_amcheck` for those. */
export function checkCommand(world: World, flags: CheckFlags): ExitCode {
  const { place, publicKeys, config } = configuredLedger(world);
  if (flags.file === undefined && place.kind === 'postgres') {
    const chains = chainRows(ledgerChains(place, { publicKeys }));
    return told(world, flags, { place: { url: redactUrls(place.url) }, chains });
  }
  const own = place.kind === 'sqlite' ? place.file : '';
  const file = flags.file === undefined ? own : resolve(world.cwd, flags.file);
  const headsFile = join(config.data_dir, 'heads.jsonl');
  const found = checkLedger({ file, headsFile, publicKeys, progress: progressLines(world) });
  if (!flags.json) world.out(`${file}: pages and indexes are in order\n`);
  const backup = found.backupAt === undefined ? {} : { backup_at: found.backupAt };
  return told(world, flags, { place: { file, ...backup }, chains: chainRows(found.chains) });
}

function told(
  world: World,
  { json: asJson }: CheckFlags,
  { place, chains }: { place: object; chains: ReturnType<typeof chainRows> },
): ExitCode {
  const ok = chains.every((chain) => chain.ok);
  if (asJson) world.out(json({ ok, ...place, chains }));
  else for (const chain of chains) world.out(chainLine(chain));
  return ok ? exit.ok : exit.failed;
}

export interface RestoreFlags {
  readonly file: string;
  /** `<tenant>=<count>`. */
  readonly acceptLoss: readonly string[];
  readonly json: boolean;
}

/** Puts a backup in the place of the ledger of a stopped product. */
export function restoreCommand(world: World, { file, acceptLoss, json: asJson }: RestoreFlags): ExitCode {
  const from = resolve(world.cwd, file);
  const accepted = acceptedLoss(acceptLoss);
  const { config, place, signingKey } = configuredLedger(world);
  const restoring = {
    ...{ from, acceptLoss: accepted, signingKey, now: Date.now(), progress: progressLines(world) },
    setting: { governance: config.governance.enabled ? 'on' : 'off', profile: config.profile } as const,
  };
  const done = restoreLedger(place.kind === 'postgres' ? place : { ...place, ...restoring });
  if (done.kind === 'would_lose') {
    if (asJson) world.out(json({ ok: false, lost: done.lost }));
    throw new CommandFailure(exit.failed, refusalOf(file, done));
  }
  const chains = chainRows(done.chains);
  if (asJson)
    world.out(json({ ok: true, backup_at: done.backupAt, lost: done.lost, kept: done.kept, chains }));
  else {
    world.out(`the ledger is that of ${done.backupAt} again\n`);
    for (const tail of done.lost) world.out(`given up: ${lineOf(tail)}\n`);
    for (const chain of chains) world.out(chainLine(chain));
    for (const path of done.kept) world.out(`kept: ${path}\n`);
  }
  return exit.ok;
}

function acceptedLoss(texts: readonly string[]): ReadonlyMap<string, number> {
  return new Map(
    texts.map((text) => {
      const found = /^([^=]+)=([1-9]\d{0,11})$/.exec(text);
      if (!found) throw new CommandFailure(exit.usage, `--accept-loss ${text}: it must be <tenant>=<count>`);
      return [found[1] ?? '', Number(found[2])];
    }),
  );
}

function lineOf({ tenant, from, through, count }: LostTail): string {
  return `${count} receipts of tenant ${tenant} (${from} to ${through})`;
}

function refusalOf(
  file: string,
  { backupAt, lost }: { backupAt: string; lost: readonly LostTail[] },
): string {
  if (lost.length === 0)
    return `nothing is lost with this backup: leave --accept-loss out. Nothing was changed.`;
  const flags = lost.map(({ tenant, count }) => ` --accept-loss ${tenant}=${count}`).join('');
  return [
    `the backup of ${backupAt} is older than what is known here. These would be given up:`,
    ...lost.map((tail) => `  ${lineOf(tail)}`),
    `Nothing was changed. Look for a later backup, or give them up: uar ledger restore ${file}${flags}`,
  ].join('\n');
}
