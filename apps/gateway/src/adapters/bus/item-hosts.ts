import type { Bus } from '@uar/bus';
import { listItems, type AnswerOf, type AskOf, type InstanceId } from '@uar/contracts';
import type { Unavailable } from '../../domain/call/ports.js';
import type { ItemHosts } from '../../domain/item/ports.js';
import { unavailable } from './pdp.js';

/** The lists of upstreams, over the bus. */
export class BusItemHosts implements ItemHosts {
  constructor(private readonly bus: Bus) {}

  async page(
    to: InstanceId,
    ask: AskOf<typeof listItems>,
    withinMs: number,
  ): Promise<AnswerOf<typeof listItems> | Unavailable> {
    if (withinMs < 1) return { kind: 'unavailable', cause: 'deadline' };
    const reply = await this.bus.ask(listItems, ask, { to, deadlineMs: Math.floor(withinMs) });
    return reply.kind === 'answered' ? reply.value : unavailable('host', reply);
  }
}
