import { Controller, Inject } from '@nestjs/common';
import { Answers, type AskContext } from '@uar/bus';
import { listPage, type HostList } from '@uar/catalog';
import { hosts, type AnswerOf, type AskOf } from '@uar/contracts';
import { Fleet } from './domain/fleet.js';
import { HostCalls } from './domain/calls/host-calls.js';
import type { ToolList } from './domain/tools/tool-list.js';

/** What a decider's offer of a key is answered with (ADR 54). */
export interface KeyAgreement {
  agree(offer: string): AnswerOf<typeof agreeKey>;
}

export const KEY_AGREEMENT = Symbol('uar.connector.key-agreement');

const { run, cancel, listTools, agreeKey } = hosts.mcp;

@Controller()
export class CallsController {
  constructor(
    @Inject(HostCalls) private readonly calls: HostCalls,
    @Inject(Fleet) private readonly fleet: Fleet,
    @Inject(KEY_AGREEMENT) private readonly keys: KeyAgreement,
  ) {}

  @Answers(run)
  async run(call: AskOf<typeof run>, context: AskContext): Promise<AnswerOf<typeof run>> {
    return await this.calls.run(call, context);
  }

  @Answers(cancel)
  cancel({ call_id }: AskOf<typeof cancel>): AnswerOf<typeof cancel> {
    return { found: this.calls.cancel(call_id) };
  }

  @Answers(agreeKey)
  agree({ offer }: AskOf<typeof agreeKey>): AnswerOf<typeof agreeKey> {
    return this.keys.agree(offer);
  }

  @Answers(listTools)
  list({ tenant, server, from }: AskOf<typeof listTools>): AnswerOf<typeof listTools> {
    const list = this.fleet.find(tenant, server)?.list;
    return list === undefined ? { kind: 'not_owner' } : listPage(offered(list), from);
  }
}

function offered({ tools, ...list }: ToolList): HostList {
  return { ...list, definitions: Array.from(tools.values(), ({ definition }) => definition) };
}
