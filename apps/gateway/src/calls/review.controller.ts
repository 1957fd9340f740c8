import { Controller, Inject } from '@nestjs/common';
import { Answers } from '@uar/bus';
import { leaveCall, readPresence, resumeCall, reviewVotes, type AnswerOf, type AskOf } from '@uar/contracts';
import { RESUME_DESK, type ResumeDesk } from '../domain/approval/resume-desk.js';
import { VOTE_REVIEW, type VoteReview } from '../domain/approval/vote-review.js';

@Controller()
export class ReviewController {
  constructor(
    @Inject(VOTE_REVIEW) private readonly votes: VoteReview,
    @Inject(RESUME_DESK) private readonly desk: ResumeDesk,
  ) {}

  @Answers(reviewVotes)
  review(ask: AskOf<typeof reviewVotes>): Promise<AnswerOf<typeof reviewVotes>> {
    return this.votes.review(ask);
  }

  @Answers(resumeCall)
  resume(ask: AskOf<typeof resumeCall>): Promise<AnswerOf<typeof resumeCall>> {
    return this.desk.resume(ask);
  }

  @Answers(leaveCall)
  leave(ask: AskOf<typeof leaveCall>): AnswerOf<typeof leaveCall> {
    return this.desk.leave(ask);
  }

  @Answers(readPresence)
  presence(): AnswerOf<typeof readPresence> {
    return { present: true };
  }
}
