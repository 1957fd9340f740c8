import type {
  ActionQuestion,
  CallQuestion,
  Caller,
  ItemQuestion,
  Principal,
  ProfileName,
  ToolFacts,
} from '@uar/contracts';
import type { Party } from '../decide/barred.js';
import type { ActiveSets } from '../decide/cedar-judge.js';
import type { ActionVerdict, Judge, Judged, JudgedItem, ToolSight, Votes } from '../decide/verdict.js';
import type { Directory } from '../question/directory.js';
import type { DecisionListener, DecisionNote } from './decision-note.js';
import { directoryFacts } from './directory-facts.js';

export interface NotingParts {
  readonly judge: Judge;
  readonly sets: ActiveSets;
  readonly directory: Directory;
  readonly profile: ProfileName;
  readonly now: () => number;
  readonly listeners: readonly DecisionListener[];
}

type Ground = Omit<DecisionNote, 'judged'>;

/** Judges as the judge behind it does, and tells what every decision about a call rested on. */
export class NotingJudge implements Judge {
  constructor(private readonly parts: NotingParts) {}

  get governance(): 'on' | 'off' {
    return this.parts.judge.governance;
  }

  versionFor(tenant: string): string {
    return this.parts.judge.versionFor(tenant);
  }

  barred(party: Party): ReturnType<Judge['barred']> {
    return this.parts.judge.barred(party);
  }

  async judgeCall(question: CallQuestion): Promise<Judged> {
    const ground = this.groundOf(question);
    const judged = await this.parts.judge.judgeCall(question);
    this.tell(ground, judged);
    return judged;
  }

  async judgeRelease(question: CallQuestion, votes: Votes): Promise<Judged> {
    const ground = this.groundOf(question, votes);
    const judged = await this.parts.judge.judgeRelease(question, votes);
    this.tell(ground, judged);
    return judged;
  }

  sights(caller: Caller, tools: readonly ToolFacts[]): Promise<readonly ToolSight[]> {
    return this.parts.judge.sights(caller, tools);
  }

  judgeItem(question: ItemQuestion): Promise<JudgedItem> {
    return this.parts.judge.judgeItem(question);
  }

  judgeActions(caller: Caller, questions: readonly ActionQuestion[]): Promise<readonly ActionVerdict[]> {
    return this.parts.judge.judgeActions(caller, questions);
  }

  /** Nothing where the directory does not answer: whether that ends the decision is the judge's to say. */
  private groundOf(question: CallQuestion, votes?: Votes): Ground | undefined {
    try {
      return this.lookedAt(question, votes);
    } catch {
      return undefined;
    }
  }

  /** Looked at in the same turn as the judge looks: nothing can change in between. */
  private lookedAt(question: CallQuestion, votes?: Votes): Ground {
    const { sets, directory, profile, now } = this.parts;
    const { principal } = question.caller;
    const principals: readonly Principal[] = [
      principal,
      ...(votes?.votes.map((vote) => vote.principal) ?? []),
    ];
    const tenants = [question.tool.tenant, ...principals.map(({ tenant }) => tenant)];
    return {
      at: now(),
      question,
      profile,
      set: sets.of(principal.tenant),
      directory: directoryFacts(directory, tenants, principals),
      ...(votes === undefined ? {} : { votes }),
    };
  }

  private tell(ground: Ground | undefined, judged: Judged): void {
    if (ground === undefined) return;
    for (const listener of this.parts.listeners) listener.take({ ...ground, judged });
  }
}
