import { Controller, Inject } from '@nestjs/common';
import { Answers, type AskContext } from '@uar/bus';
import { listServers, readHealth, readWantedServers, type AnswerOf, type AskOf } from '@uar/contracts';
import { Registry } from './domain/registry.js';
import { DesiredServers } from './domain/servers/desired-servers.js';
import { OPENING, type Opening } from './opening.js';

@Controller()
export class ServerViewsController {
  constructor(
    @Inject(Registry) private readonly registry: Registry,
    @Inject(DesiredServers) private readonly desired: DesiredServers,
    @Inject(OPENING) private readonly opening: Opening,
  ) {}

  @Answers(readWantedServers)
  async wanted(
    _ask: AskOf<typeof readWantedServers>,
    { signal }: AskContext,
  ): Promise<AnswerOf<typeof readWantedServers>> {
    await this.opening.whenOpen(signal);
    const servers = this.desired.list();
    return {
      servers: servers.map(({ tenant, name, revision, config }) => ({ tenant, name, revision, config })),
    };
  }

  @Answers(listServers)
  async list(
    { tenant }: AskOf<typeof listServers>,
    { signal }: AskContext,
  ): Promise<AnswerOf<typeof listServers>> {
    await this.opening.whenOpen(signal);
    return { servers: this.registry.views(tenant) };
  }

  @Answers(readHealth)
  async health(
    { tenant }: AskOf<typeof readHealth>,
    { signal }: AskContext,
  ): Promise<AnswerOf<typeof readHealth>> {
    await this.opening.whenOpen(signal);
    return this.registry.health(tenant);
  }
}
