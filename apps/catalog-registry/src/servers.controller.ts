import { Controller, Inject } from '@nestjs/common';
import { Answers, type AskContext } from '@uar/bus';
import { deleteServer, patchServer, probeServer, putServer, type AnswerOf, type AskOf } from '@uar/contracts';
import { ServerProbe } from './domain/writes/server-probe.js';
import { ServerWriter } from './domain/writes/server-writer.js';
import { OPENING, type Opening } from './opening.js';

@Controller()
export class ServersController {
  constructor(
    @Inject(ServerWriter) private readonly writer: ServerWriter,
    @Inject(ServerProbe) private readonly prober: ServerProbe,
    @Inject(OPENING) private readonly opening: Opening,
  ) {}

  @Answers(putServer)
  async put(ask: AskOf<typeof putServer>, { signal }: AskContext): Promise<AnswerOf<typeof putServer>> {
    await this.opening.whenOpen(signal);
    return this.writer.put(ask, signal);
  }

  @Answers(patchServer)
  async patch(ask: AskOf<typeof patchServer>, { signal }: AskContext): Promise<AnswerOf<typeof patchServer>> {
    await this.opening.whenOpen(signal);
    return this.writer.patch(ask, signal);
  }

  @Answers(deleteServer)
  async delete(
    ask: AskOf<typeof deleteServer>,
    { signal }: AskContext,
  ): Promise<AnswerOf<typeof deleteServer>> {
    await this.opening.whenOpen(signal);
    return this.writer.delete(ask, signal);
  }

  @Answers(probeServer)
  async probe(ask: AskOf<typeof probeServer>, { signal }: AskContext): Promise<AnswerOf<typeof probeServer>> {
    await this.opening.whenOpen(signal);
    return this.prober.probe(ask, signal);
  }
}
