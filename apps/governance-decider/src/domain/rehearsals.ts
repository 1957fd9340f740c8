import type { AnswerOf, AskOf, readShadow, replayDecisions, writeShadow } from '@uar/contracts';
import { replay, type ReplayParts } from './replay/replay.js';
import type { Shadows } from './shadow/shadows.js';

/** Candidates tried on calls of before and of now, without any part in what is decided. */
export interface Rehearsals {
  /** `deadlineAt`: epoch milliseconds. */
  replay(ask: AskOf<typeof replayDecisions>, deadlineAt: number): Promise<AnswerOf<typeof replayDecisions>>;
  writeShadow(ask: AskOf<typeof writeShadow>): Promise<AnswerOf<typeof writeShadow>>;
  readShadow(ask: AskOf<typeof readShadow>): AnswerOf<typeof readShadow>;
}

export class CedarRehearsals implements Rehearsals {
  constructor(
    private readonly parts: ReplayParts & { readonly shadows: Shadows; readonly end: () => Promise<void> },
  ) {}

  replay(ask: AskOf<typeof replayDecisions>, deadlineAt: number): Promise<AnswerOf<typeof replayDecisions>> {
    return replay(this.parts, ask, deadlineAt);
  }

  writeShadow(ask: AskOf<typeof writeShadow>): Promise<AnswerOf<typeof writeShadow>> {
    return this.parts.shadows.write(ask);
  }

  readShadow(ask: AskOf<typeof readShadow>): AnswerOf<typeof readShadow> {
    return this.parts.shadows.read(ask);
  }

  /** Called by the framework once the last ask is answered. */
  onModuleDestroy(): Promise<void> {
    return this.parts.end();
  }
}

const off = { kind: 'off' } as const;

/** Cedar switched off: there is no set, so there is no candidate either. */
export class NoRehearsals implements Rehearsals {
  replay(): Promise<AnswerOf<typeof replayDecisions>> {
    return Promise.resolve(off);
  }

  writeShadow(): Promise<AnswerOf<typeof writeShadow>> {
    return Promise.resolve(off);
  }

  readShadow(): AnswerOf<typeof readShadow> {
    return off;
  }
}
