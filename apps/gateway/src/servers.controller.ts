import { Controller, Inject, Param, Req, Res } from '@nestjs/common';
import { BUS, type Bus } from '@uar/bus';
import {
  deleteServer,
  listServers,
  patchServer,
  probeServer,
  putServer,
  readHealth,
  type Caller,
  type ServerWritten,
} from '@uar/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { sendJson } from './http/answer.js';
import { asked } from './http/asked.js';
import { readJson } from './http/read.js';
import { Refusal, notAvailable, notFound } from './http/refusal.js';
import { FromCaller, FromQuery } from './http/request.js';
import { Serves } from './http/route.js';
import { NoQuery, PutServerQuery, routes } from './http/routes.js';

const noServer = 'There is no server of this name.';

/** API.md 3. The registry checks names and bodies, in the order of answers that it documents. */
@Controller()
export class ServersController {
  constructor(@Inject(BUS) private readonly bus: Bus) {}

  @Serves(routes.listServers)
  async list(
    @FromCaller() { principal: { tenant } }: Caller,
    @FromQuery(NoQuery) _query: unknown,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    sendJson(reply, await asked(this.bus, listServers, { tenant }));
  }

  @Serves(routes.readServer)
  async read(
    @FromCaller() { principal: { tenant } }: Caller,
    @FromQuery(NoQuery) _query: unknown,
    @Param('name') name: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { servers } = await asked(this.bus, listServers, { tenant });
    const found = servers.find((server) => server.name === name);
    if (found === undefined) throw notFound(noServer);
    sendJson(reply, found);
  }

  @Serves(routes.putServer)
  async put(
    @FromCaller() { principal }: Caller,
    @FromQuery(PutServerQuery) query: z.output<typeof PutServerQuery>,
    @Param('name') name: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const body = readJson(request.body);
    const connect = query.connect === 'true';
    sendWritten(reply, await asked(this.bus, putServer, { principal, name, body, connect }));
  }

  @Serves(routes.patchServer)
  async patch(
    @FromCaller() { principal }: Caller,
    @FromQuery(NoQuery) _query: unknown,
    @Param('name') name: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const body = readJson(request.body);
    sendWritten(reply, await asked(this.bus, patchServer, { principal, name, body }));
  }

  @Serves(routes.deleteServer)
  async remove(
    @FromCaller() { principal }: Caller,
    @FromQuery(NoQuery) _query: unknown,
    @Param('name') name: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const answer = await asked(this.bus, deleteServer, { principal, name });
    if (answer.kind === 'not_found') throw notFound(noServer);
    if (answer.kind === 'unavailable') throw notAvailable();
    sendJson(reply, { deleted: true });
  }

  @Serves(routes.reconnectServer)
  reconnect(
    @FromCaller() caller: Caller,
    @FromQuery(NoQuery) _query: unknown,
    @Param('name') name: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.probe(caller, name, 'reconnect', reply);
  }

  @Serves(routes.testServer)
  test(
    @FromCaller() caller: Caller,
    @FromQuery(NoQuery) _query: unknown,
    @Param('name') name: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.probe(caller, name, 'test', reply);
  }

  @Serves(routes.readHealth)
  async health(
    @FromCaller() { principal: { tenant } }: Caller,
    @FromQuery(NoQuery) _query: unknown,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    sendJson(reply, await asked(this.bus, readHealth, { tenant }));
  }

  private async probe(
    { principal: { tenant } }: Caller,
    name: string,
    how: 'reconnect' | 'test',
    reply: FastifyReply,
  ): Promise<void> {
    const answer = await asked(this.bus, probeServer, { tenant, name, how });
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
      throw new Refusal(409, written.kind, written.message);
    case 'bad_name':
    case 'bad_shape':
      throw new Refusal(400, 'bad_request', written.message);
    case 'placeholder_unresolved':
      throw new Refusal(422, written.kind, 'Placeholders have no value.', {
        details: { missing: written.missing },
      });
    case 'connect_failed':
      throw new Refusal(422, written.kind, written.message);
    case 'stdio_not_allowed':
      throw new Refusal(403, written.kind, written.message);
    case 'not_found':
      throw notFound(noServer);
    case 'unavailable':
      throw notAvailable();
  }
}
