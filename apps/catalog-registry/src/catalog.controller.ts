import { Controller, Inject } from '@nestjs/common';
import { Answers, type AskContext } from '@uar/bus';
import { readCatalog, type AnswerOf, type AskOf } from '@uar/contracts';
import { Registry } from './domain/registry.js';
import { OPENING, type Opening } from './opening.js';

@Controller()
export class CatalogController {
  constructor(
    @Inject(Registry) private readonly registry: Registry,
    @Inject(OPENING) private readonly opening: Opening,
  ) {}

  @Answers(readCatalog)
  async read(
    { after }: AskOf<typeof readCatalog>,
    context: AskContext,
  ): Promise<AnswerOf<typeof readCatalog>> {
    await this.opening.whenCaughtUp(context.signal);
    return this.registry.page(after);
  }
}
