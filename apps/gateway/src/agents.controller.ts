import { Controller, Inject, Req, Res } from '@nestjs/common';
import { AgentBody, AgentId, type ScopeWarning, type AgentView } from '@uar/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AGENT_BOOK, type AgentBook } from './domain/agent/agents.js';
import { EFFECTIVE_CATALOG, type EffectiveCatalog } from './domain/catalog/effective-catalog.js';
import { knownIds, scopeWarnings } from './domain/run/scope-warnings.js';
import { agentRoutes as routes } from './http/agent-routes.js';
import { sendJson } from './http/answer.js';
import { NoQuery } from './http/asks.js';
import { readBody, readQuery } from './http/read.js';
import { badRequest, notAvailable, notFound } from './http/refusal.js';
import { callerOf, pathParameter } from './http/request.js';
import { Serves } from './http/route.js';
import { refuseUnwritten } from './http/written.js';

/** API.md 4: who may act for users here, and what each of them may use at most. */
@Controller()
export class AgentsController {
  constructor(
    @Inject(AGENT_BOOK) private readonly book: AgentBook,
    @Inject(EFFECTIVE_CATALOG) private readonly catalog: EffectiveCatalog,
  ) {}

  @Serves(routes.listAgents)
  list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    readQuery(request.query, NoQuery);
    sendJson(reply, { agents: this.agentsFor(request) });
  }

  @Serves(routes.readAgent)
  read(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    readQuery(request.query, NoQuery);
    const found = this.agentsFor(request).find(({ id }) => id === pathParameter(request, 'id'));
    if (found === undefined) throw notFound('There is no agent of this id.');
    sendJson(reply, found);
  }

  @Serves(routes.putAgent)
  async put(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    readQuery(request.query, NoQuery);
    const id = AgentId.safeParse(pathParameter(request, 'id'));
    if (!id.success) throw badRequest('an agent id is 1 to 128 letters, digits and . _ : @ -');
    const body = readBody(request.body, AgentBody);
    const written = await this.book.putAgent(callerOf(request).principal, id.data, body);
    const { created } = refuseUnwritten(written);
    const warnings = await this.warningsOf(request, body);
    sendJson(reply, { id: id.data, ...body, warnings }, { status: created ? 201 : 200 });
  }

  @Serves(routes.deleteAgent)
  async remove(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    readQuery(request.query, NoQuery);
    const id = pathParameter(request, 'id');
    refuseUnwritten(await this.book.removeAgent(callerOf(request).principal, id));
    sendJson(reply, { deleted: true });
  }

  private agentsFor(request: FastifyRequest): AgentView[] {
    if (!this.book.ready) throw notAvailable();
    const held = this.book.agents(callerOf(request).principal.tenant);
    const ids = [...held.keys()].sort();
    return ids.flatMap((id) => {
      const agent = held.get(id);
      return agent?.kind === 'kept' ? [{ id, ...agent.value }] : [];
    });
  }

  /** The registration stands whether or not anybody can say what its ids name. */
  private async warningsOf(request: FastifyRequest, { scope }: AgentBody): Promise<ScopeWarning[]> {
    const list = await this.catalog.discoverable(callerOf(request));
    return list.kind === 'listed' ? scopeWarnings('scope.', scope, knownIds(list)) : [];
  }
}
