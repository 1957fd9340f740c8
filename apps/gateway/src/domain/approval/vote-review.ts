import type { AnswerOf, AskOf, reviewVotes } from '@uar/contracts';
import type { Pdp } from '../call/ports.js';
import type { WaitingRoom } from './waiting-room.js';

const decisionMs = 2_000;

/** Do these votes release a call that waits here? Asked by the approval-service after each approving vote. */
export class VoteReview {
  constructor(
    private readonly room: WaitingRoom,
    private readonly pdp: Pdp,
  ) {}

  async review(ask: AskOf<typeof reviewVotes>): Promise<AnswerOf<typeof reviewVotes>> {
    const waiting = this.room.find(ask.call_id, ask.approval_id);
    if (waiting === undefined || waiting.call.interruption !== undefined) return { kind: 'gone' };
    const { call, staged } = waiting;
    const decision = await this.pdp.decide(
      {
        question: {
          call_id: call.callId,
          caller: call.caller,
          tool: staged.entry.facts,
          arguments_json: call.proposed.argumentsJson,
          arguments_digest: staged.argumentsDigest,
        },
        approval: {
          approval_id: ask.approval_id,
          approvers: ask.approvers,
          requested_at: ask.requested_at,
        },
      },
      decisionMs,
    );
    if (!isOver(decision.kind)) return { kind: 'not_released' };
    const { approvers, requested_at } = ask;
    call.release = { approvers, requested_at };
    return { kind: 'released' };
  }
}

/** A denial is terminal, so no further vote matters: stage 7 decides again, denies, and spends the approval. */
function isOver(kind: Awaited<ReturnType<Pdp['decide']>>['kind']): boolean {
  return kind === 'allow' || kind === 'deny';
}

/** Injection token of the VoteReview. */
export const VOTE_REVIEW = Symbol('uar.gateway.vote-review');
