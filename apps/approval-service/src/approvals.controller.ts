import { Controller, Inject } from '@nestjs/common';
import { Answers } from '@uar/bus';
import {
  castVote,
  consumeApproval,
  createApproval,
  endApproval,
  listApprovals,
  readApproval,
  readApprovalStatus,
  type AnswerOf,
  type AskOf,
} from '@uar/contracts';
import { LedgerError } from '@uar/ledger';
import { Approvals } from './domain/approvals.js';
import { Lifecycle } from './domain/lifecycle.js';
import { Votes } from './domain/votes.js';

@Controller()
export class ApprovalsController {
  constructor(
    @Inject(Approvals) private readonly approvals: Approvals,
    @Inject(Votes) private readonly votes: Votes,
    @Inject(Lifecycle) private readonly lifecycle: Lifecycle,
  ) {}

  @Answers(createApproval)
  create(draft: AskOf<typeof createApproval>): Promise<AnswerOf<typeof createApproval>> {
    return this.approvals.create(draft);
  }

  @Answers(readApproval)
  read(ask: AskOf<typeof readApproval>): Promise<AnswerOf<typeof readApproval>> {
    return this.approvals.read(ask);
  }

  @Answers(listApprovals)
  list(ask: AskOf<typeof listApprovals>): Promise<AnswerOf<typeof listApprovals>> {
    return this.approvals.list(ask);
  }

  @Answers(castVote)
  vote(ask: AskOf<typeof castVote>): Promise<AnswerOf<typeof castVote>> {
    return this.votes.cast(ask).catch(unavailable);
  }

  @Answers(readApprovalStatus)
  status(ask: AskOf<typeof readApprovalStatus>): Promise<AnswerOf<typeof readApprovalStatus>> {
    return this.approvals.status(ask);
  }

  @Answers(consumeApproval)
  consume(ask: AskOf<typeof consumeApproval>): Promise<AnswerOf<typeof consumeApproval>> {
    return this.approvals.consume(ask);
  }

  @Answers(endApproval)
  end(ask: AskOf<typeof endApproval>): Promise<AnswerOf<typeof endApproval>> {
    return this.lifecycle.end(ask);
  }
}

/** A ledger that cannot be written is bad news with a word of its own; all else is a fault. */
function unavailable(error: unknown): { kind: 'unavailable' } {
  if (error instanceof LedgerError) return { kind: 'unavailable' };
  throw error;
}
