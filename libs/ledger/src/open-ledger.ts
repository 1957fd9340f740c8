import { createPublicKey, type KeyObject } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { genesisHash, type ReceiptVerification } from '@uar/contracts';
import type { Seal } from '@uar/keys';
import { verifyChain, type ChainPlace } from './chain/verify-chain.js';
import type { Ledger } from './ledger.js';
import type { Link } from './thread/link.js';
import { SameThread } from './thread/same-thread.js';
import type { PendingView } from './recoveries.js';
import { sealedDecisions } from './sealed-decisions.js';
import { sealedEvents } from './sealed-events.js';
import { inMemory, openEngine, type EngineOptions } from './sqlite/engine.js';
import type { PostgresAccess, PostgresEngineOptions } from './postgres/engine.js';
import type { WorkerTask } from './thread/worker-messages.js';
import { WorkerThread, firstWord, startLedgerWorker } from './thread/worker-thread.js';

interface CommonOptions {
  /** Encrypts the views of kept calls. */
  readonly seal: Seal;
  /** Ed25519 private key that signs chain heads. */
  readonly signingKey: KeyObject;
  /** Steps of approvals leave messages for the webhook (`Deliveries`). Default false: none are written. */
  readonly hasWebhook?: boolean;
}

export interface FileLedgerOptions extends CommonOptions {
  /** Path of the SQLite file, made when absent (its folder must exist); `:memory:` keeps nothing and needs no thread. */
  readonly file: string;
  /** Where signed chain heads are appended; needs `signingKey`. Not with `:memory:`. */
  readonly headsFile?: string;
  /** Bound on the file in bytes: beyond it writes are `unavailable`, as on a full disk. */
  readonly maxBytes?: number;
}

export interface PostgresLedgerOptions extends CommonOptions {
  /** `postgres://user@host:port/database?sslmode=...&search_path=...`, of a database that may have several replicas as its writers. */
  readonly url: string;
  /** Never said in messages or logs. */
  readonly password?: string;
}

export type LedgerOptions = FileLedgerOptions | PostgresLedgerOptions;

const maxViewBytes = 1 << 20;

/** Forgets nothing by itself (`purgeExpired`). Rejects with a `LedgerError`: `locked`, `corrupt`, `too_new`, or `unavailable` when the disk does not let it be opened. */
export async function openLedger(options: LedgerOptions): Promise<Ledger> {
  const link = await openLink(engineOptions(options));
  return {
    ...plainOperations(link),
    ...sealedCalls(link, options.seal),
    ...sealedDecisions(link, options.seal),
    ...sealedEvents(link, options.seal),
    verifyReceipts: ({ tenant }) =>
      'file' in options && options.file === inMemory
        ? verifyInMemory(link, tenant)
        : verifyInThread(verificationOf(options), tenant),
    close: () => link.close(),
  };
}

function engineOptions(options: LedgerOptions): EngineOptions | PostgresEngineOptions {
  const { signingKey, hasWebhook = false } = options;
  if ('url' in options) return { ...accessTo(options), signingKey, hasWebhook };
  const { file, headsFile, maxBytes } = options;
  const heads = headsFile === undefined || file === inMemory ? {} : { headsFile };
  return { file, signingKey, hasWebhook, ...heads, ...(maxBytes === undefined ? {} : { maxBytes }) };
}

function accessTo({ url, password }: PostgresLedgerOptions): PostgresAccess {
  return { url, ...(password === undefined ? {} : { password }) };
}

async function openLink(options: EngineOptions | PostgresEngineOptions): Promise<Link> {
  if ('file' in options && options.file === inMemory) return new SameThread(openEngine(options));
  const worker = startLedgerWorker({ kind: 'serve', options });
  await firstWord(worker);
  return new WorkerThread(worker);
}

/** Operations whose contents only this side can read. */
type Sealed = SealedCalls | 'recordDecisions' | 'readDecisions' | 'appendEvents' | 'readEvents';
type SealedCalls = 'keepCall' | 'readKeptCall' | 'claimKey' | 'readPendingViews' | 'endPendingView';

function plainOperations(link: Link): Omit<Ledger, Sealed | 'verifyReceipts' | 'close'> {
  return {
    readSettings: (ask) => link.ask('readSettings', ask),
    writeSetting: (ask) => link.ask('writeSetting', ask),
    readAccount: (ask) => link.ask('readAccount', ask),
    writeAccount: (ask) => link.ask('writeAccount', ask),
    leaseAccount: (ask) => link.ask('leaseAccount', ask),
    keepAuthorization: (ask) => link.ask('keepAuthorization', ask),
    takeAuthorization: (ask) => link.ask('takeAuthorization', ask),
    takeQuota: (ask) => link.ask('takeQuota', ask),
    putRun: (ask) => link.ask('putRun', ask),
    readRun: (ask) => link.ask('readRun', ask),
    nextRunEnd: () => link.ask('nextRunEnd', undefined),
    endDueRuns: (ask) => link.ask('endDueRuns', ask),
    purgeExpired: (ask) => link.ask('purgeExpired', ask),
    openGateways: (ask) => link.ask('openGateways', ask),
    closeOpenCalls: (ask) => link.ask('closeOpenCalls', ask),
    createApproval: (ask) => link.ask('createApproval', ask),
    readApproval: (ask) => link.ask('readApproval', ask),
    listApprovals: (ask) => link.ask('listApprovals', ask),
    recordVote: (ask) => link.ask('recordVote', ask),
    moveApproval: (ask) => link.ask('moveApproval', ask),
    consumeApproval: (ask) => link.ask('consumeApproval', ask),
    expireApprovals: (ask) => link.ask('expireApprovals', ask),
    nextExpiry: () => link.ask('nextExpiry', undefined),
    dueDeliveries: (ask) => link.ask('dueDeliveries', ask),
    endAttempt: (ask) => link.ask('endAttempt', ask),
    listDeliveries: (ask) => link.ask('listDeliveries', ask),
    retryDelivery: (ask) => link.ask('retryDelivery', ask),
    writeIntent: (ask) => link.ask('writeIntent', ask),
    appendReceipts: (ask) => link.ask('appendReceipts', ask),
    listReceipts: (ask) => link.ask('listReceipts', ask),
    readReceipt: (ask) => link.ask('readReceipt', ask),
    agedChains: (ask) => link.ask('agedChains', ask),
    walkAged: (ask) => link.ask('walkAged', ask),
    truncateReceipts: (ask) => link.ask('truncateReceipts', ask),
    sweepReceipts: (ask) => link.ask('sweepReceipts', ask),
    probe: () => link.ask('probe', undefined),
  };
}

/** Bound to tenant, call and principal: a sealed view moved to another row does not open. */
function purposeOf(call: { tenant: string; call_id: string; principal: string }): string {
  return `kept-call ${JSON.stringify([call.tenant, call.call_id, call.principal])}`;
}

function sealedCalls(link: Link, seal: Seal): Pick<Ledger, SealedCalls> {
  const sealed = (call: Parameters<typeof purposeOf>[0], view: string): string =>
    seal.seal(view, purposeOf(call));
  return {
    async keepCall(ask) {
      if (Buffer.byteLength(ask.view_json) > maxViewBytes) return { kept: false };
      return link.ask('keepCall', { ...ask, view_json: sealed(ask, ask.view_json) });
    },
    async readKeptCall(ask) {
      const kept = await link.ask('readKeptCall', ask);
      if (kept.kind === 'not_found') return kept;
      const purpose = purposeOf({ ...ask, principal: kept.principal });
      return { ...kept, view_json: seal.open(kept.view_json, purpose) };
    },
    claimKey: (ask) => {
      const { pending } = ask;
      if (pending === undefined) return link.ask('claimKey', ask);
      return link.ask('claimKey', {
        ...ask,
        pending: { ...pending, view_json: sealed(ask, pending.view_json) },
      });
    },
    async readPendingViews(ask) {
      const views = await link.ask('readPendingViews', ask);
      return views.map((view) => ({ ...view, view_json: openedOrEmpty(seal, view) }));
    },
    endPendingView: (ask) => link.ask('endPendingView', { ...ask, view_json: sealed(ask, ask.view_json) }),
  };
}

/** One that cannot be opened must not keep the others from their end. */
function openedOrEmpty(seal: Seal, view: PendingView): string {
  try {
    return seal.open(view.view_json, purposeOf(view));
  } catch {
    return '';
  }
}

type Verification = Extract<WorkerTask, { kind: 'verify' }>['options'];

function verificationOf(options: LedgerOptions): Verification {
  const publicKeys = [createPublicKey(options.signingKey)];
  if ('url' in options) return { ...accessTo(options), publicKeys };
  const { file, headsFile } = options;
  return { file: realpathSync(file), publicKeys, ...(headsFile === undefined ? {} : { headsFile }) };
}

async function verifyInThread(options: Verification, tenant: string): Promise<ReceiptVerification> {
  const worker = startLedgerWorker({ kind: 'verify', options: { ...options, tenant } });
  try {
    const word = await firstWord(worker);
    if (word.kind !== 'verified') throw new Error(`a verification answered ${word.kind}`);
    return word.verifications.get(tenant) ?? { ok: true, length: 0, head: genesisHash };
  } finally {
    await worker.terminate();
  }
}

async function verifyInMemory(link: Link, tenant: Parameters<Ledger['verifyReceipts']>[0]['tenant']) {
  const receipts: unknown[] = [];
  let start: ChainPlace | undefined;
  for (let after: number | undefined = 0; after !== undefined;) {
    const page: Awaited<ReturnType<Ledger['listReceipts']>> = await link.ask('listReceipts', {
      tenant,
      after,
      limit: 1000,
    });
    if (page.checkpoint) start = { seq: page.checkpoint.through_seq, hash: page.checkpoint.hash };
    receipts.push(...page.receipts);
    after = page.next;
  }
  const found = receipts.map((value) => ({ kind: 'receipt' as const, value }));
  return verifyChain({
    tenant,
    receipts: found,
    heads: new Map(),
    ...(start === undefined ? {} : { start }),
  });
}
