import type { Bus, BusFault } from '@uar/bus';
import {
  authorizeActions,
  decideCall,
  decideItem,
  discoverTools,
  issueGrant,
  type ActionQuestion,
  type AnswerOf,
  type AskOf,
  type CallDecision,
  type Caller,
  type ToolFacts,
} from '@uar/contracts';
import type { Access, Allowance } from '../../domain/access/access.js';
import type { DecisionAsk, Pdp, Unavailable } from '../../domain/call/ports.js';
import type { ItemPdp } from '../../domain/item/item-stages.js';

type Discovery = AnswerOf<typeof discoverTools>;

/** Tools per question: keeps every ask well below the bus's message size. */
const toolsPerAsk = 200;
/** Actions per question: as many as are decided well within its deadline. */
const questionsPerAsk = 200;

/** The governance-decider over the bus. Whatever is no answer is `unavailable`: nothing runs without a decision. */
export class BusPdp implements Pdp, Access, ItemPdp {
  constructor(private readonly bus: Bus) {}

  async decide(ask: DecisionAsk, withinMs: number): Promise<CallDecision | Unavailable> {
    if (withinMs < 1) return { kind: 'unavailable', cause: 'deadline_before_decision' };
    const reply = await this.bus.ask(decideCall, ask, { deadlineMs: Math.floor(withinMs) });
    return reply.kind === 'answered' ? reply.value : unavailable('pdp', reply);
  }

  async decideItem(
    ask: AskOf<typeof decideItem>,
    withinMs: number,
  ): Promise<AnswerOf<typeof decideItem> | Unavailable> {
    if (withinMs < 1) return { kind: 'unavailable', cause: 'deadline_before_decision' };
    const reply = await this.bus.ask(decideItem, ask, { deadlineMs: Math.floor(withinMs) });
    return reply.kind === 'answered' ? reply.value : unavailable('pdp', reply);
  }

  async discovers(caller: Caller, tool: ToolFacts): Promise<'visible' | 'hidden' | Unavailable> {
    const found = await this.discover(caller, [tool]);
    if (found.kind === 'unavailable') return found;
    return found.tools[0]?.kind ?? 'hidden';
  }

  async grant(ask: AskOf<typeof issueGrant>): Promise<AnswerOf<typeof issueGrant> | Unavailable> {
    const reply = await this.bus.ask(issueGrant, ask);
    return reply.kind === 'answered' ? reply.value : unavailable('pdp', reply);
  }

  /** One verdict each, in order. */
  async discover(
    caller: Caller,
    tools: readonly ToolFacts[],
  ): Promise<{ kind: 'discovered'; tools: Discovery['tools']; policyVersion: string } | Unavailable> {
    const pieces = [];
    for (let start = 0; start < tools.length; start += toolsPerAsk)
      pieces.push(tools.slice(start, start + toolsPerAsk));
    const replies = await Promise.all(
      pieces.map((piece) => this.bus.ask(discoverTools, { caller, tools: piece })),
    );
    const found: Discovery['tools'] = [];
    let policyVersion = '';
    for (const [index, reply] of replies.entries()) {
      if (reply.kind === 'fault') return unavailable('pdp', reply);
      if (reply.value.tools.length !== pieces[index]?.length)
        return { kind: 'unavailable', cause: 'pdp_answer_incomplete' };
      policyVersion = reply.value.policy_version;
      found.push(...reply.value.tools);
    }
    return { kind: 'discovered', tools: found, policyVersion };
  }

  async may(caller: Caller, question: ActionQuestion): Promise<Allowance> {
    const answered = await this.mayEach(caller, [question]);
    if (answered.kind === 'unavailable') return answered;
    return { kind: answered.allowed[0] === true ? 'allowed' : 'denied' };
  }

  /** One word each, in order. */
  async mayEach(
    caller: Caller,
    questions: readonly ActionQuestion[],
  ): Promise<{ kind: 'answered'; allowed: readonly boolean[] } | Unavailable> {
    const allowed: boolean[] = [];
    for (let start = 0; start < questions.length; start += questionsPerAsk) {
      const piece = questions.slice(start, start + questionsPerAsk);
      const reply = await this.bus.ask(authorizeActions, { caller, questions: piece });
      if (reply.kind === 'fault') return unavailable('pdp', reply);
      const { decisions } = reply.value;
      allowed.push(...piece.map((_, index) => decisions[index]?.kind === 'allow'));
    }
    return { kind: 'answered', allowed };
  }
}

export function unavailable(part: string, fault: BusFault): Unavailable {
  return { kind: 'unavailable', cause: `${part}_${fault.fault}` };
}
