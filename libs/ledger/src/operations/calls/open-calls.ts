import {
  effectOf,
  principalId,
  ReceiptBody,
  type ApprovalStatus,
  type Outcome,
  type Receipt,
} from '@uar/contracts';
import type { SqlDatabase, Statement } from '../../sql/database.js';
import type { ApprovalRecord } from '../../ledger.js';
import type { CloseOpenCalls } from '../../recoveries.js';
import type { Store } from '../../store.js';
import type { ApprovalRows } from '../approvals/approval-rows.js';
import type { ApprovalParts } from '../approvals/approvals.js';

interface OpenCall {
  readonly tenant: string;
  readonly call_id: string;
  readonly approval_id: string | null;
  /** Seq of the intent. */
  readonly intent: number | null;
}

const cause = 'gateway_gone';

/** What has begun at a gateway and has no outcome yet. The row goes with the outcome receipt (`ReceiptChains.append`). */
export class OpenCalls {
  readonly #ask: Statement<[string, string, string, string]>;
  readonly #intend: Statement<[string, string, string, number]>;

  constructor(database: SqlDatabase) {
    this.#ask = database.prepare(
      `INSERT INTO open_calls (tenant, call_id, gateway, approval_id) VALUES (?, ?, ?, ?)
       ON CONFLICT (tenant, call_id) DO UPDATE SET approval_id = excluded.approval_id`,
    );
    this.#intend = database.prepare(
      `INSERT INTO open_calls (tenant, call_id, gateway, intent) VALUES (?, ?, ?, ?)
       ON CONFLICT (tenant, call_id) DO UPDATE SET intent = excluded.intent, gateway = excluded.gateway`,
    );
  }

  asked({ requester, call_id, gateway, approval_id }: ApprovalRecord['draft']): void {
    this.#ask.run(requester.tenant, call_id, gateway, approval_id);
  }

  intended({ tenant, call_id }: ReceiptBody, gateway: string, seq: number): void {
    if (call_id !== undefined) this.#intend.run(tenant, call_id, gateway, seq);
  }
}

type Operations = 'writeIntent' | 'openGateways' | 'closeOpenCalls';

export function openCallsStore(database: SqlDatabase, parts: ApprovalParts): Pick<Store, Operations> {
  const { chains, open } = parts;
  const gateways = database.prepare<[number], { gateway: string }>(
    `SELECT gateway FROM open_calls
     UNION SELECT gateway FROM kept_calls WHERE gateway IS NOT NULL AND expires_at > ? ORDER BY gateway`,
  );
  const of = database.prepare<[string, number], OpenCall>(
    'SELECT tenant, call_id, approval_id, intent FROM open_calls WHERE gateway = ? LIMIT ?',
  );
  const receiptAt = database.prepare<[string, number], { receipt: string }>(
    'SELECT receipt FROM receipts WHERE tenant = ? AND seq = ?',
  );
  const intentOf = ({ tenant, intent }: OpenCall): Receipt | undefined => {
    const row = intent === null ? undefined : receiptAt.get(tenant, intent);
    return row && JSON.parse(row.receipt);
  };
  return {
    writeIntent: ({ gateway, receipt }) => {
      const placed = chains.append(receipt);
      if (placed.refused === undefined) open.intended(receipt, gateway, placed.seq);
      return placed;
    },
    openGateways: ({ now }) => gateways.all(now).map(({ gateway }) => gateway),
    closeOpenCalls: (ask) => {
      const calls = of.all(ask.gateway, ask.limit);
      const closed = calls.map((call) => closeCall(parts, call, { intent: intentOf(call), ask }));
      return {
        count: calls.length,
        outcomes: closed.map(({ outcome }) => outcome),
        settled: closed.flatMap(({ settled }) => settled ?? []),
      };
    },
  };
}

interface ClosedCall {
  readonly outcome: ReceiptBody;
  /** The approval that this settled. */
  readonly settled?: ApprovalRecord;
}

function closeCall(
  { rows, chains, news }: ApprovalParts,
  call: OpenCall,
  { intent, ask }: { readonly intent: Receipt | undefined; readonly ask: CloseOpenCalls },
): ClosedCall {
  if (intent !== undefined) {
    const outcome = afterIntent(intent, ask);
    chains.append(outcome);
    return { outcome };
  }
  const { record, isNews } = closedApproval(rows, call, ask);
  if (isNews) news.settled(record, ask.now);
  const outcome = afterApproval(record, ask);
  chains.append(outcome);
  return isNews ? { outcome, settled: record } : { outcome };
}

/** Nobody knows more than that it was about to be dispatched. */
function afterIntent(intent: Receipt, { now }: CloseOpenCalls): ReceiptBody {
  const outcome = 'transport_failure';
  return {
    ...bodyOf(intent),
    at: new Date(now).toISOString(),
    kind: 'outcome',
    outcome,
    effect: effectOf(outcome),
    cause,
  };
}

/** What it says, without its place in the chain. */
function bodyOf(receipt: Receipt): ReceiptBody {
  const body: Partial<Receipt> = { ...receipt };
  delete body.seq;
  delete body.prev_hash;
  delete body.hash;
  return ReceiptBody.parse(body);
}

function closedApproval(
  rows: ApprovalRows,
  { approval_id, call_id }: OpenCall,
  { now }: CloseOpenCalls,
): { record: ApprovalRecord; isNews: boolean } {
  const approvalId = approval_id ?? '';
  const found = rows.find(approvalId);
  if (found === undefined) throw new Error(`${call_id} is open without an intent and without an approval`);
  const to = found.draft.expires_at <= now ? 'expired' : 'channel_closed';
  const isNews = rows.move({ approvalId, from: ['pending', 'approved'], to, when: 'any', now });
  return { record: isNews ? (rows.find(approvalId) ?? found) : found, isNews };
}

function afterApproval({ draft, status }: ApprovalRecord, { now, setting }: CloseOpenCalls): ReceiptBody {
  const { requester, tool } = draft;
  const outcome = outcomeOf(status);
  return {
    at: new Date(now).toISOString(),
    kind: 'outcome',
    call_id: draft.call_id,
    run_id: draft.run_id,
    tenant: requester.tenant,
    principal: principalId(requester),
    ...(requester.agent_id === undefined ? {} : { agent: requester.agent_id }),
    tool: { server: tool.server, raw_name: tool.raw_name, definition_digest: tool.definition_digest },
    arguments_digest: draft.arguments_digest,
    policy_version: draft.policy_version,
    ...setting,
    approval_id: draft.approval_id,
    outcome,
    effect: effectOf(outcome),
    cause,
  };
}

/** A record that was used without an intent released nothing: its call was refused, and the refusal was lost. */
function outcomeOf(status: ApprovalStatus): Outcome {
  switch (status) {
    case 'rejected':
      return 'approval_rejected';
    case 'expired':
      return 'approval_timeout';
    case 'cancelled':
      return 'cancelled';
    case 'channel_closed':
    case 'consumed':
    case 'pending':
    case 'approved':
      return 'channel_closed';
  }
}
