import { Controller, Inject, Req, Res } from '@nestjs/common';
import { BUS, type Bus } from '@uar/bus';
import {
  deleteServer,
  listServers,
  patchServer,
  probeServer,
  putServer,
  readHealth,
  type Principal,
  type ServerWritten,
} from '@uar/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendJson } from '../http/answer.js';
import { NoQuery, PutServerQuery } from '../http/asks.js';
import { asked } from '../http/asked.js';
import { readJson, readQuery } from '../http/read.js';
import { Refusal, badRequest, notAvailable, notFound } from '../http/refusal.js';
import { callerOf, pathParameter } from '../http/request.js';
import { Serves } from '../http/route.js';
import { serverRoutes as routes } from './server-routes.js';

const noServer = 'There is no server of this name.';

/** API.md 3. The registry checks names and bodies, in the order of answers that it documents. */
@Controller()
export class ServersController {
  constructor(@Inject(BUS) private readonly bus: Bus) {}

  @Serves(routes.listServers)
  async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    readQuery(request.query, NoQuery);
    const { tenant } = callerOf(request).principal;
    sendJson(reply, await asked(this.bus, listServers, { tenant }));
  }

  @Serves(routes.readServer)
  async read(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    readQuery(request.query, NoQuery);
    const { tenant } = callerOf(request).principal;
    const { servers } = await asked(this.bus, listServers, { tenant });
    const found = servers.find(({ name }) => name === pathParameter(request, 'name'));
    if (found === undefined) throw notFound(noServer);
    sendJson(reply, found);
  }

  @Serves(routes.putServer)
  async put(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const connect = readQuery(request.query, PutServerQuery).connect === 'true';
    const ask = { ...this.writing(request), body: readJson(request.body), connect };
    sendWritten(reply, await asked(this.bus, putServer, ask));
  }

  @Serves(routes.patchServer)
  async patch(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    readQuery(request.query, NoQuery);
    const ask = { ...this.writing(request), body: readJson(request.body) };
    sendWritten(reply, await asked(this.bus, patchServer, ask));
  }

  @Serves(routes.deleteServer)
  async remove(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    readQuery(request.query, NoQuery);
    const answer = await asked(this.bus, deleteServer, this.writing(request));
    if (answer.kind === 'not_found') throw notFound(noServer);
    if (answer.kind === 'unavailable') throw notAvailable();
    sendJson(reply, { deleted: true });
  }

  @Serves(routes.reconnectServer)
  reconnect(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.probe(request, reply, 'reconnect');
  }

  @Serves(routes.testServer)
  test(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.probe(request, reply, 'test');
  }

  @Serves(routes.readHealth)
  async health(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    readQuery(request.query, NoQuery);
    const { tenant } = callerOf(request).principal;
    sendJson(reply, await asked(this.bus, readHealth, { tenant }));
  }

  private writing(request: FastifyRequest): { principal: Principal; name: string } {
    return { principal: callerOf(request).principal, name: pathParameter(request, 'name') };
  }

  private async probe(
    request: FastifyRequest,
    reply: FastifyReply,
    how: 'reconnect' | 'test',
  ): Promise<void> {
    readQuery(request.query, NoQuery);
    const { principal, name } = this.writing(request);
    const answer = await asked(this.bus, probeServer, { tenant: principal.tenant, name, how });
    if (answer.kind === 'not_found') throw notFound(noServer);
    if (answer.kind === 'unavailable') throw notAvailable();
    sendJson(reply, answer.health);
  }
}

function sendWritten(reply: FastifyReply, written: ServerWritten): void {
  switch (written.kind) {
    case 'written':
      return sendJson(reply, written.server, { status: written.created ? 201 : 200 });
    case 'name_taken':
    case 'name_reserved':
      throw new Refusal(409, written.kind, written);
    case 'bad_name':
    case 'bad_shape':
      throw badRequest(written.message);
    case 'placeholder_unresolved':
      throw new Refusal(422, written.kind, {
        message: 'Placeholders have no value.',
        details: { missing: written.missing },
      });
    case 'connect_failed':
      throw new Refusal(422, written.kind, written);
    case 'stdio_not_allowed':
      throw new Refusal(403, written.kind, written);
    case 'not_found':
      throw notFound(noServer);
    case 'unavailable':
      throw notAvailable();
  }
}
