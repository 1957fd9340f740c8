import type {
  ActionQuestion,
  AnswerOf,
  AskOf,
  Caller,
  consumeApproval,
  createApproval,
  listApprovals,
  readApproval,
  readApprovalStatus,
} from '@uar/contracts';
import { statusAt } from './approval-steps.js';
import { approvalResources, approvalView } from './approval-view.js';
import { cursorOf, placeOf } from './cursor.js';
import type {
  AgentOwners,
  Alarm,
  Announcer,
  ApprovalRecord,
  ApprovalStore,
  Authority,
  Clock,
  Limits,
} from './ports.js';

/** Most records judged for one page; a page may be shorter than asked when the caller may see few of them. */
const windowSize = 500;
/** Previews of one page, in characters: 64 KB each would take an answer over what the bus carries. */
const mostPreviewed = 1_000_000;

export interface ApprovalsParts {
  readonly store: ApprovalStore;
  readonly authority: Authority;
  readonly announcer: Announcer;
  readonly owners: AgentOwners;
  readonly alarm: Alarm;
  readonly clock: Clock;
  readonly limits: Limits;
}

/** The human questions: made, shown to whom policy shows them, used once. */
export class Approvals {
  readonly #parts: ApprovalsParts;

  constructor(parts: ApprovalsParts) {
    this.#parts = parts;
  }

  async create(draft: AskOf<typeof createApproval>): Promise<AnswerOf<typeof createApproval>> {
    const { store, announcer, alarm, clock, limits } = this.#parts;
    const created = await store.createApproval({ draft, limits, now: clock.now() });
    if (created.kind === 'ended') return created;
    if (created.kind === 'limited') return { kind: 'limited', retry_after_ms: created.retryAfterMs };
    alarm.setFor(draft.expires_at);
    announcer.required(created.approval);
    return { kind: 'created', approval: this.#view(created.approval) };
  }

  /** Throws when the PDP cannot be asked: nobody knows whether the caller may look. */
  async read({ caller, approval_id }: AskOf<typeof readApproval>): Promise<AnswerOf<typeof readApproval>> {
    const record = await this.#parts.store.readApproval({ approvalId: approval_id });
    if (!record || record.draft.requester.tenant !== caller.principal.tenant) return { kind: 'not_found' };
    const [visible] = await this.#visible(caller, [record]);
    return visible ? { kind: 'found', approval: this.#view(visible) } : { kind: 'not_found' };
  }

  /** Throws when the PDP cannot be asked; an unreadable cursor is past every record. */
  async list({
    caller,
    status,
    cursor,
    limit,
  }: AskOf<typeof listApprovals>): Promise<AnswerOf<typeof listApprovals>> {
    const after = cursor === undefined ? undefined : placeOf(cursor);
    if (cursor !== undefined && after === undefined) return { approvals: [] };
    const records = await this.#parts.store.listApprovals({
      tenant: caller.principal.tenant,
      limit: windowSize,
      ...(status === undefined ? {} : { status }),
      ...(after === undefined ? {} : { after }),
    });
    const asked = records.filter((record) => status === undefined || this.#status(record) === status);
    const visible = await this.#visible(caller, asked);
    const page = visible.slice(0, pageLength(visible, limit));
    const last = visible.length > page.length ? page.at(-1) : records[windowSize - 1];
    const approvals = page.map((record) => this.#view(record));
    return last === undefined ? { approvals } : { approvals, next_cursor: cursorOf(last) };
  }

  async status({
    approval_id,
    call_id,
  }: AskOf<typeof readApprovalStatus>): Promise<AnswerOf<typeof readApprovalStatus>> {
    const record = await this.#parts.store.readApproval({ approvalId: approval_id });
    if (record?.draft.call_id !== call_id) return { kind: 'not_found' };
    return { kind: 'found', status: this.#status(record) };
  }

  consume(ask: AskOf<typeof consumeApproval>): Promise<AnswerOf<typeof consumeApproval>> {
    return this.#parts.store.consumeApproval({ ...ask, now: this.#parts.clock.now() });
  }

  async #visible(caller: Caller, records: readonly ApprovalRecord[]): Promise<readonly ApprovalRecord[]> {
    if (records.length === 0) return [];
    const resources = await approvalResources(records, this.#parts.owners);
    const questions = resources.map((resource): ActionQuestion => ({
      kind: 'approval',
      action: 'viewApproval',
      resource,
    }));
    const authorized = await this.#parts.authority.authorize(caller, questions);
    if (authorized.kind === 'unreachable') throw new Error(`nobody decides who may see: ${authorized.cause}`);
    return records.filter((_, index) => authorized.decisions[index]?.kind === 'allow');
  }

  #view(record: ApprovalRecord) {
    return approvalView(record, this.#parts.clock.now());
  }

  #status(record: ApprovalRecord) {
    return statusAt(record, this.#parts.clock.now());
  }
}

/** One record at least, so that a list always comes to its end. */
function pageLength(records: readonly ApprovalRecord[], limit: number): number {
  let previewed = 0;
  const tooMuch = records.findIndex(({ draft }, index) => {
    previewed += draft.arguments_preview.length;
    return index > 0 && previewed > mostPreviewed;
  });
  return tooMuch === -1 ? limit : Math.min(limit, tooMuch);
}
