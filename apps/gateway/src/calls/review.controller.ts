import { Controller, Inject } from '@nestjs/common';
import { Answers } from '@uar/bus';
import {
  attendCall,
  leaveCall,
  readPresence,
  resumeCall,
  reviewVotes,
  type AnswerOf,
  type AskOf,
} from '@uar/contracts';
import { RESUME_DESK, type ResumeDesk } from '../domain/approval/resume-desk.js';
import { ATTENDED_CALLS, type AttendedCalls } from '../domain/execute/attended-calls.js';
import { VOTE_REVIEW, type VoteReview } from '../domain/approval/vote-review.js';

@Controller()
export class ReviewController {
  constructor(
    @Inject(VOTE_REVIEW) private readonly votes: VoteReview,
    @Inject(RESUME_DESK) private readonly desk: ResumeDesk,
    @Inject(ATTENDED_CALLS) private readonly attended: AttendedCalls,
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

  @Answers(attendCall)
  attend(ask: AskOf<typeof attendCall>): Promise<AnswerOf<typeof attendCall>> {
    return this.attended.attendFor(ask);
  }

  @Answers(readPresence)
  presence(): AnswerOf<typeof readPresence> {
    return { present: true };
  }
}
