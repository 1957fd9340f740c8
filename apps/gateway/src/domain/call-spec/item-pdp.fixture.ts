import type { AnswerOf, AskOf, decideItem } from '@uar/contracts';
import type { Allowance } from '../access/access.js';
import type { Unavailable } from '../call/ports.js';
import type { ItemPdp } from '../item/item-stages.js';
import { itemAllowed } from './facts.fixture.js';

type Decided = AnswerOf<typeof decideItem> | Unavailable;

/** What the PDP says of resources and prompts, as a spec sets it. */
export class ItemPdpInMemory implements ItemPdp {
  decideItemWith: (ask: AskOf<typeof decideItem>) => Decided | Promise<Decided> = () => itemAllowed;
  /** May it be read, where it is asked without a target? */
  allowance: Allowance = { kind: 'allowed' };
  readonly itemDecisions: AskOf<typeof decideItem>[] = [];

  async decideItem(ask: AskOf<typeof decideItem>) {
    this.itemDecisions.push(ask);
    return this.decideItemWith(ask);
  }

  async may(): Promise<Allowance> {
    return this.allowance;
  }
}
