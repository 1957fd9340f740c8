import { Controller, Inject, Req, Res } from '@nestjs/common';
import { AgentBody, AgentId, type ScopeWarning, type AgentView } from '@uar/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AGENT_BOOK, type AgentBook } from '../domain/agent/agents.js';
import { EFFECTIVE_CATALOG, type EffectiveCatalog } from '../domain/catalog/effective-catalog.js';
import type { HeldSetting } from '../domain/run/ports.js';
import { knownIds, scopeWarnings } from '../domain/run/scope-warnings.js';
import { agentRoutes as routes } from './agent-routes.js';
import { sendJson } from '../http/answer.js';
import { NoQuery } from '../http/asks.js';
import { readBody, readQuery } from '../http/read.js';
import { Refusal, badRequest, notAvailable, notFound } from '../http/refusal.js';
import { callerOf, pathParameter } from '../http/request.js';
import { Serves } from '../http/route.js';
import { refuseUnwritten } from './written.js';

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
    const byId = [...this.heldFor(request)].sort(([one], [other]) => (one < other ? -1 : 1));
    sendJson(reply, { agents: byId.map(([id, agent]) => viewOf(id, agent)) });
  }

  @Serves(routes.readAgent)
  read(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    readQuery(request.query, NoQuery);
    const id = pathParameter(request, 'id');
    const agent = this.heldFor(request).get(id);
    if (agent === undefined) throw notFound('There is no agent of this id.');
    sendJson(reply, viewOf(id, agent));
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

  private heldFor(request: FastifyRequest): ReturnType<AgentBook['agents']> {
    if (!this.book.ready) throw notAvailable();
    return this.book.agents(callerOf(request).principal.tenant);
  }

  /** The registration stands whether or not anybody can say what its ids name. */
  private async warningsOf(request: FastifyRequest, { scope }: AgentBody): Promise<ScopeWarning[]> {
    const list = await this.catalog.discoverable(callerOf(request));
    return list.kind === 'listed' ? scopeWarnings('scope.', scope, knownIds(list)) : [];
  }
}

/** Stored, but as nobody can read it: not the same as absent, and no call of it is served. */
function viewOf(id: string, agent: HeldSetting<AgentBody>): AgentView {
  if (agent?.kind === 'kept') return { id, ...agent.value };
  throw new Refusal(503, 'unavailable', {
    message: `What is stored of agent ${id} cannot be read; PUT /api/uar/agents/${id} replaces it.`,
    details: { agent_id: id },
  });
}
