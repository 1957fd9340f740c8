import { Controller, Inject } from '@nestjs/common';
import { Answers, type AskContext } from '@uar/bus';
import { listPage } from '@uar/catalog';
import { hosts, readNativeStatements, type AnswerOf, type AskOf } from '@uar/contracts';
import { CallDesk } from './domain/call-desk.js';
import type { ToolList } from './domain/tool-list.js';

/** What is listed now. */
export interface Listing {
  readonly list: ToolList;
}

export const LISTING = Symbol('uar.native.listing');

/** What a decider's offer of a key is answered with (ADR 54). */
export interface KeyAgreement {
  agree(offer: string): AnswerOf<typeof agreeKey>;
}

export const KEY_AGREEMENT = Symbol('uar.native.key-agreement');

const { run, cancel, listTools, agreeKey } = hosts.native;

@Controller()
export class NativeController {
  constructor(
    @Inject(CallDesk) private readonly desk: CallDesk,
    @Inject(LISTING) private readonly tools: Listing,
    @Inject(KEY_AGREEMENT) private readonly keys: KeyAgreement,
  ) {}

  @Answers(run)
  run(call: AskOf<typeof run>, context: AskContext): Promise<AnswerOf<typeof run>> {
    return this.desk.run(call, context.deadlineAt);
  }

  @Answers(cancel)
  cancel(ask: AskOf<typeof cancel>): AnswerOf<typeof cancel> {
    return { found: this.desk.cancel(ask.call_id) };
  }

  @Answers(agreeKey)
  agree({ offer }: AskOf<typeof agreeKey>): AnswerOf<typeof agreeKey> {
    return this.keys.agree(offer);
  }

  @Answers(listTools)
  listTools({ server, from }: AskOf<typeof listTools>): AnswerOf<typeof listTools> {
    if (server !== 'native') return { kind: 'not_owner' };
    const { digest, definitions } = this.tools.list;
    return listPage({ digest, definitions, duplicates: [] }, from);
  }

  @Answers(readNativeStatements)
  readStatements(): AnswerOf<typeof readNativeStatements> {
    return { statements: { ...this.tools.list.statements } };
  }
}
