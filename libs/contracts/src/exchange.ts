import type { z } from 'zod';

/** Who may be reached by an exchange: any replica of its owner, or one named instance. */
export type Reach = 'any' | 'instance';

/**
 * One request/reply contract, the same value for both ends (ADR 0005).
 * `subject` is a literal of ours: `uar.v1.<owner>.<noun>.<verb>`. An exchange with reach `instance`
 * is answered on `<subject>.<instance>` and must be asked with `to`.
 */
export interface Exchange<Ask extends z.ZodType = z.ZodType, Answer extends z.ZodType = z.ZodType> {
  readonly subject: string;
  readonly ask: Ask;
  readonly answer: Answer;
  /** Longest time in milliseconds an asker waits unless it names its own deadline. */
  readonly deadlineMs: number;
  readonly reach: Reach;
}

/** One broadcast contract: everybody who listens gets it, nobody answers. Subject: `uar.v1.event.<noun>.<past tense>`. */
export interface Announcement<Body extends z.ZodType = z.ZodType> {
  readonly subject: string;
  readonly body: Body;
}

export type AskOf<E extends Exchange> = z.output<E['ask']>;
export type AnswerOf<E extends Exchange> = z.output<E['answer']>;
export type BodyOf<A extends Announcement> = z.output<A['body']>;

const subjectPattern = /^uar\.v1(\.[a-z][a-z0-9-]{0,31}){3,4}$/;

function checked(subject: string): string {
  if (!subjectPattern.test(subject)) throw new Error(`not a subject of ours: ${subject}`);
  return subject;
}

export function exchange<Ask extends z.ZodType, Answer extends z.ZodType>(definition: {
  subject: string;
  ask: Ask;
  answer: Answer;
  deadlineMs: number;
  reach?: Reach;
}): Exchange<Ask, Answer> {
  return { reach: 'any', ...definition, subject: checked(definition.subject) };
}

export function announcement<Body extends z.ZodType>(definition: {
  subject: string;
  body: Body;
}): Announcement<Body> {
  return { ...definition, subject: checked(definition.subject) };
}
