import { createPublicKey, type KeyObject } from 'node:crypto';
import { accessSync, constants, existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { formatProblems, loadConfig, type ResolvedConfig } from '@uar/config';
import { ReceiptVerification } from '@uar/contracts';
import { readPrivateKey, readPublicKey } from '@uar/keys';
import { verifyExportFile, type Verifications } from '@uar/ledger';
import { askFor } from '../client/answer.js';
import { readEndpoints } from '../client/endpoints-file.js';
import { connectTarget, setting } from '../client/target.js';
import { json, plain } from '../output.js';
import { ledgerChains } from './ledger/ledger-chains.js';
import { placeOf } from './ledger/ledger-files.js';
import { CommandFailure, errorCode, exit, type ExitCode, type World } from '../world.js';

export interface VerifyReceipts {
  /** An export instead of the ledger. */
  readonly file?: string;
  readonly heads?: string;
  readonly publicKey?: string;
  readonly tenant?: string;
  /** Reads the ledger itself even beside a running server. */
  readonly offline: boolean;
  readonly json: boolean;
}

/** Exit code 0 when every chain that was looked at holds. */
export async function verifyReceipts(world: World, options: VerifyReceipts): Promise<ExitCode> {
  const found = await verifications(world, options);
  const chains = [...found].map(([tenant, verification]) => ({ tenant, ...verification }));
  const ok = chains.every((chain) => chain.ok);
  if (options.json) world.out(json({ ok, chains }));
  else if (chains.length === 0) world.out('there are no receipts\n');
  else for (const chain of chains) world.out(chainLine(chain));
  return ok ? exit.ok : exit.failed;
}

/** What was found of one chain, as one line. */
export function chainLine(chain: ReceiptVerification & { tenant: string }): string {
  if (chain.ok)
    return `${chain.tenant}: ${chain.length} receipts, the chain holds${walkedFrom(chain)}, head ${chain.head}\n`;
  const place = chain.broken_at === undefined ? '' : ` at receipt ${chain.broken_at}`;
  return `${chain.tenant}: the chain is broken${place}${chain.problem === undefined ? '' : `: ${plain(chain.problem)}`}\n`;
}

/** Said where retention has removed the beginning of a chain. */
function walkedFrom({ walked_from }: ReceiptVerification): string {
  return walked_from === undefined ? '' : ` from receipt ${walked_from} on, a signed checkpoint before it`;
}

async function verifications(world: World, options: VerifyReceipts): Promise<Verifications> {
  if (options.file !== undefined) return verifyExport(world, { ...options, file: options.file });
  const remote = setting(world, 'UAR_URL') !== undefined;
  const config = remote ? undefined : configOf(world);
  const running = config !== undefined && readEndpoints(config.data_dir) !== undefined;
  if (!options.offline && (remote || running)) return await verifyThroughGateway(world, options);
  return verifyLedger(world, config ?? configOf(world), options);
}

async function verifyThroughGateway(world: World, options: VerifyReceipts): Promise<Verifications> {
  const local = { '--heads': options.heads, '--public-key': options.publicKey, '--tenant': options.tenant };
  const [unused] = Object.entries(local).filter(([, value]) => value !== undefined);
  if (unused !== undefined)
    throw new CommandFailure(
      exit.usage,
      `${unused[0]} is for --file or --offline; a running server checks against its own heads`,
    );
  const path = '/api/uar/receipts/verify';
  const answer = ReceiptVerification.loose();
  const verification = await askFor(connectTarget(world), { method: 'GET', path, answer });
  return new Map([['your tenant', verification]]);
}

function verifyLedger(world: World, config: ResolvedConfig, options: VerifyReceipts): Verifications {
  const publicKey =
    options.publicKey === undefined
      ? createPublicKey(readPrivateKey(config.keys.receipt_private_file))
      : publicKeyAt(world, options.publicKey);
  return ledgerChains(placeOf(config), {
    publicKeys: [publicKey],
    ...(options.heads === undefined ? {} : { headsFile: headsAt(world, options.heads) }),
    ...(options.tenant === undefined ? {} : { tenant: options.tenant }),
  });
}

function verifyExport(world: World, options: VerifyReceipts & { file: string }): Verifications {
  const file = resolve(world.cwd, options.file);
  if (!existsSync(file)) throw new CommandFailure(exit.failed, `${file} does not exist`);
  if ((options.heads === undefined) !== (options.publicKey === undefined))
    throw new CommandFailure(exit.usage, '--heads and --public-key go together');
  return verifyExportFile({
    file,
    publicKeys: options.publicKey === undefined ? [] : [publicKeyAt(world, options.publicKey)],
    ...(options.heads === undefined ? {} : { headsFile: headsAt(world, options.heads) }),
    ...(options.tenant === undefined ? {} : { tenant: options.tenant }),
  });
}

function headsAt(world: World, given: string): string {
  return readable(world, given, '--heads');
}

function publicKeyAt(world: World, given: string): KeyObject {
  const path = readable(world, given, '--public-key');
  try {
    return readPublicKey(path);
  } catch {
    throw new CommandFailure(exit.usage, `--public-key: ${path} holds no public key in PEM`);
  }
}

function readable(world: World, given: string, flag: string): string {
  const path = resolve(world.cwd, given);
  try {
    accessSync(path, constants.R_OK);
    return path;
  } catch (error) {
    throw new CommandFailure(exit.usage, `${flag}: ${path} cannot be read (${errorCode(error)})`);
  }
}

function configOf(world: World): ResolvedConfig {
  const loaded = loadConfig({ env: world.env, cwd: world.cwd, generate: false });
  if (loaded.kind === 'ok') return loaded.config;
  throw new CommandFailure(exit.failed, `the configuration is bad:\n${formatProblems(loaded.problems)}`);
}
