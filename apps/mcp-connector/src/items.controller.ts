import { Controller, Inject } from '@nestjs/common';
import { Answers, type AskContext } from '@uar/bus';
import { itemPage } from '@uar/catalog';
import { listItems, runItem, type AnswerOf, type AskOf } from '@uar/contracts';
import { HostCalls } from './domain/calls/host-calls.js';
import { Fleet } from './domain/fleet.js';

@Controller()
export class ItemsController {
  constructor(
    @Inject(HostCalls) private readonly calls: HostCalls,
    @Inject(Fleet) private readonly fleet: Fleet,
  ) {}

  @Answers(runItem)
  async run(ask: AskOf<typeof runItem>, context: AskContext): Promise<AnswerOf<typeof runItem>> {
    return await this.calls.runItem(ask, context);
  }

  @Answers(listItems)
  async list(
    { tenant, server, list, from }: AskOf<typeof listItems>,
    context: AskContext,
  ): Promise<AnswerOf<typeof listItems>> {
    const link = this.fleet.find(tenant, server);
    if (link === undefined) return { kind: 'not_owner' };
    const connection = await link.connection(context.signal);
    if (connection === undefined) return { kind: 'unavailable', message: 'the server is not connected' };
    const read = await connection.items.read(list);
    return read.kind === 'list' ? itemPage(read.list, from) : { kind: 'unavailable', message: read.message };
  }
}
