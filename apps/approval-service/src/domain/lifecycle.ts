import type { AnswerOf, ApprovalStatus, AskOf, endApproval } from '@uar/contracts';
import { approvalSteps, statusAt, type ApprovalEvent, type ApprovalStep } from './approval-steps.js';
import type { Announcer, ApprovalRecord, ApprovalStore, Clock } from './ports.js';

/** `moved`: this event won. Otherwise the status that stood in its way; undefined: there is no such record. */
export type Transition =
  | { readonly kind: 'moved'; readonly record: ApprovalRecord }
  | { readonly kind: 'stayed'; readonly record?: ApprovalRecord };

const endings: Readonly<Record<AskOf<typeof endApproval>['as'], ApprovalEvent>> = {
  cancelled: 'cancel',
  channel_closed: 'close_channel',
  expired: 'expire',
  spent: 'spend',
};

/** Takes records from one status to the next and says so: durable first, announced second. */
export class Lifecycle {
  readonly #store: ApprovalStore;
  readonly #announcer: Announcer;
  readonly #clock: Clock;

  constructor(parts: { store: ApprovalStore; announcer: Announcer; clock: Clock }) {
    this.#store = parts.store;
    this.#announcer = parts.announcer;
    this.#clock = parts.clock;
  }

  /** A release counts only while the record has not expired; every other event counts at any time. */
  apply(approvalId: string, event: ApprovalEvent): Promise<Transition> {
    return this.#move(approvalId, approvalSteps[event], event === 'release' ? 'live' : 'any');
  }

  /** The record as it counts now: one whose time is over is ended on the spot. */
  async current(record: ApprovalRecord): Promise<ApprovalRecord> {
    if (statusAt(record, this.#clock.now()) === record.status) return record;
    const { record: fresh } = await this.#move(record.draft.approval_id, approvalSteps.expire, 'due');
    return fresh ?? record;
  }

  /** Throws for an id that was never given out. */
  async end({ approval_id, as }: AskOf<typeof endApproval>): Promise<AnswerOf<typeof endApproval>> {
    const { record } = await this.apply(approval_id, endings[as]);
    if (!record) throw new Error(`there is no approval ${approval_id}`);
    return { status: record.status };
  }

  /** Ends what is due; answers when the next record will be. */
  async expireDue(): Promise<number | undefined> {
    const ended = await this.#store.expireApprovals({ now: this.#clock.now() });
    for (const record of ended) this.#announcer.settled(record);
    return this.#store.nextExpiry();
  }

  async #move(approvalId: string, step: ApprovalStep, when: 'live' | 'due' | 'any'): Promise<Transition> {
    const move = await this.#store.moveApproval({ approvalId, ...step, when, now: this.#clock.now() });
    if (move.kind === 'refused')
      return move.approval ? { kind: 'stayed', record: move.approval } : { kind: 'stayed' };
    if (isNews(move.approval.status)) this.#announcer.settled(move.approval);
    return { kind: 'moved', record: move.approval };
  }
}

/** A record that was used has been settled before, by its approval. */
function isNews(status: ApprovalStatus): boolean {
  return status !== 'consumed';
}
