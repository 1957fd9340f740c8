import { Controller, Inject } from '@nestjs/common';
import { Answers } from '@uar/bus';
import { readPresence, reviewVotes, type AnswerOf, type AskOf } from '@uar/contracts';
import { VOTE_REVIEW, type VoteReview } from '../domain/approval/vote-review.js';

@Controller()
export class ReviewController {
  constructor(@Inject(VOTE_REVIEW) private readonly votes: VoteReview) {}

  @Answers(reviewVotes)
  review(ask: AskOf<typeof reviewVotes>): Promise<AnswerOf<typeof reviewVotes>> {
    return this.votes.review(ask);
  }

  @Answers(readPresence)
  presence(): AnswerOf<typeof readPresence> {
    return { present: true };
  }
}
