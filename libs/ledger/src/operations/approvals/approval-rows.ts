import { principalId, type ApprovalStatus } from '@uar/contracts';
import type { SqlDatabase, Statement } from '../../sql/database.js';
import type {
  ApprovalPlace,
  ApprovalRecord,
  CreateApproval,
  MoveApproval,
  VoteRecord,
} from '../../ledger.js';

interface Row {
  approval_id: string;
  status: ApprovalStatus;
  created_at: number;
  draft: string;
  preview: string;
}

interface VoteRow {
  decision: 'approve' | 'reject';
  reason: string | null;
  at: number;
  principal: string;
}

/** The preview of the arguments stands apart: the schema erases it as soon as an approval is settled. */
const columns = `approval_id, status, created_at, draft,
  coalesce((SELECT preview FROM approval_previews AS shown WHERE shown.approval_id = approvals.approval_id), '') AS preview`;

/** However many a principal made, its newest and its oldest of a while tell by their places how many lie between. */
const newest =
  'SELECT nth FROM approvals WHERE requester = @requester ORDER BY created_at DESC, nth DESC LIMIT 1';

/** Statements on approvals and their votes; what they mean stands in `approvals.ts`. */
export class ApprovalRows {
  readonly #database: SqlDatabase;
  readonly #find: Statement<[string], Row>;
  readonly #votes: Statement<[string], VoteRow>;

  constructor(database: SqlDatabase) {
    this.#database = database;
    this.#find = database.prepare(`SELECT ${columns} FROM approvals WHERE approval_id = ?`);
    this.#votes = database.prepare('SELECT * FROM votes WHERE approval_id = ? ORDER BY rowid');
  }

  find(approvalId: string): ApprovalRecord | undefined {
    const row = this.#find.get(approvalId);
    return row && this.#record(row);
  }

  insert({ draft, now }: CreateApproval): void {
    this.#database
      .prepare(
        `INSERT INTO approvals (approval_id, tenant, call_id, requester, arguments_digest, definition_digest, status,
           created_at, expires_at, changed_at, draft, nth)
         VALUES (@approval_id, @tenant, @call_id, @requester, @arguments_digest, @definition_digest, 'pending',
           @now, @expires_at, @now, @draft, coalesce((${newest}), 0) + 1)`,
      )
      .run({
        approval_id: draft.approval_id,
        tenant: draft.requester.tenant,
        call_id: draft.call_id,
        requester: principalId(draft.requester),
        arguments_digest: draft.arguments_digest,
        definition_digest: draft.tool.definition_digest,
        expires_at: draft.expires_at,
        now,
        draft: JSON.stringify({ ...draft, arguments_preview: '' }),
      });
    this.#database
      .prepare('INSERT INTO approval_previews (approval_id, preview) VALUES (?, ?)')
      .run(draft.approval_id, draft.arguments_preview);
  }

  /** How many of a principal are open, and when the first of them ends. */
  pendingOf(requester: string, now: number): { count: number; first: number | null } {
    return this.#counted(
      `SELECT count(*) AS count, min(expires_at) AS first FROM approvals
       WHERE requester = @requester AND status = 'pending' AND expires_at > @at`,
      { requester, at: now },
    );
  }

  /** How many a principal made after `since`, and when the first of them was made. */
  madeSince(requester: string, since: number): { count: number; first: number | null } {
    return this.#counted(
      `SELECT newest.nth - oldest.nth + 1 AS count, oldest.created_at AS first FROM (${newest}) AS newest, (
         SELECT nth, created_at FROM approvals WHERE requester = @requester AND created_at > @at
         ORDER BY created_at, nth LIMIT 1) AS oldest`,
      { requester, at: since },
    );
  }

  list(ask: {
    tenant: string;
    status?: ApprovalStatus;
    after?: ApprovalPlace;
    limit: number;
  }): ApprovalRecord[] {
    const where = ['tenant = @tenant'];
    if (ask.status !== undefined) where.push('status = @status');
    if (ask.after !== undefined) where.push('(created_at, approval_id) < (@createdAt, @approvalId)');
    return this.#database
      .prepare<unknown[], Row>(
        `SELECT ${columns} FROM approvals WHERE ${where.join(' AND ')}
         ORDER BY created_at DESC, approval_id DESC LIMIT @limit`,
      )
      .all({ tenant: ask.tenant, status: ask.status, ...ask.after, limit: ask.limit })
      .map((row) => this.#record(row));
  }

  /** One conditional write: true for whoever moved it. */
  move({ approvalId, from, to, when, now }: MoveApproval): boolean {
    const expiry = { live: 'AND expires_at > @now', due: 'AND expires_at <= @now', any: '' }[when];
    const statuses = from.map((status) => `'${status}'`).join();
    const { changes } = this.#database
      .prepare(
        `UPDATE approvals SET status = @to, changed_at = @now
         WHERE approval_id = @approvalId AND status IN (${statuses}) ${expiry}`,
      )
      .run({ approvalId, to, now });
    return changes === 1;
  }

  /** One conditional write: true once, for this call and these digests, while approved and not expired. */
  consume(ask: {
    approval_id: string;
    call_id: string;
    arguments_digest: string;
    definition_digest: string;
    now: number;
  }): boolean {
    const { changes } = this.#database
      .prepare(
        `UPDATE approvals SET status = 'consumed', changed_at = @now
         WHERE approval_id = @approval_id AND call_id = @call_id AND arguments_digest = @arguments_digest
           AND definition_digest = @definition_digest AND status = 'approved' AND expires_at > @now`,
      )
      .run({
        approval_id: ask.approval_id,
        call_id: ask.call_id,
        arguments_digest: ask.arguments_digest,
        definition_digest: ask.definition_digest,
        now: ask.now,
      });
    return changes === 1;
  }

  /** False when this person has voted like this before. */
  addVote(approvalId: string, { voter, decision, reason, at }: VoteRecord): boolean {
    const { changes } = this.#database
      .prepare(
        `INSERT INTO votes (approval_id, voter, decision, reason, at, principal) VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT (approval_id, voter, decision) DO NOTHING`,
      )
      .run(approvalId, principalId(voter), decision, reason ?? null, at, JSON.stringify(voter));
    return changes === 1;
  }

  expire(now: number): ApprovalRecord[] {
    return this.#database
      .prepare<[number, number], Row>(
        `UPDATE approvals SET status = 'expired', changed_at = ?
         WHERE status IN ('pending', 'approved') AND expires_at <= ?
         RETURNING approval_id, status, created_at, draft, '' AS preview`,
      )
      .all(now, now)
      .map((row) => this.#record(row));
  }

  nextExpiry(): number | undefined {
    const row = this.#database
      .prepare<[], { at: number | null }>(
        `SELECT min(expires_at) AS at FROM approvals WHERE status IN ('pending', 'approved')`,
      )
      .get();
    return row?.at ?? undefined;
  }

  #counted(sql: string, of: { requester: string; at: number }): { count: number; first: number | null } {
    const row = this.#database.prepare<typeof of, { count: number; first: number | null }>(sql).get(of);
    return row ?? { count: 0, first: null };
  }

  #record(row: Row): ApprovalRecord {
    return {
      draft: { ...JSON.parse(row.draft), arguments_preview: row.preview },
      status: row.status,
      createdAt: row.created_at,
      votes: this.#votes.all(row.approval_id).map(voteRecord),
    };
  }
}

function voteRecord({ decision, reason, at, principal }: VoteRow): VoteRecord {
  const vote = { voter: JSON.parse(principal), decision, at };
  return reason === null ? vote : { ...vote, reason };
}
