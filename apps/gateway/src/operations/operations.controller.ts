import { Controller, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { READINESS, type GatewayReadiness } from '../domain/readiness.js';
import { sendJson } from '../http/answer.js';
import { EDGE, type Edge } from '../http/edge/edge.js';
import { openApiDocument } from '../http/openapi.js';
import { NoQuery } from '../http/asks.js';
import { readQuery } from '../http/read.js';
import { notFound } from '../http/refusal.js';
import { Serves } from '../http/route.js';
import { operationRoutes as routes } from './operation-routes.js';

@Controller()
export class OperationsController {
  private document: string | undefined;

  constructor(
    @Inject(READINESS) private readonly readiness: GatewayReadiness,
    @Inject(EDGE) private readonly edge: Edge,
  ) {}

  @Serves(routes.healthz)
  health(@Res() reply: FastifyReply): void {
    sendJson(reply, { status: 'ok' });
  }

  @Serves(routes.readyz)
  async ready(@Res() reply: FastifyReply): Promise<void> {
    const { ready, governance, problems } = await this.readiness.view();
    const codes = [...new Set(problems.map(({ code }) => code))];
    sendJson(reply, { ready, governance, problems: codes }, { status: ready ? 200 : 503 });
  }

  @Serves(routes.openApi)
  openApi(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    readQuery(request.query, NoQuery);
    this.document ??= JSON.stringify(openApiDocument());
    void reply.code(200).header('content-type', 'application/json; charset=utf-8').send(this.document);
  }

  @Serves(routes.protectedResource)
  protectedResource(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    const metadata = this.edge.resourceMetadata(request.url);
    if (metadata === undefined) throw notFound();
    sendJson(reply, metadata);
  }
}
