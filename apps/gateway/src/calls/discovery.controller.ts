import { hash } from 'node:crypto';
import { Controller, Inject, Req, Res } from '@nestjs/common';
import { outcomes, type Caller } from '@uar/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  EFFECTIVE_CATALOG,
  type EffectiveCatalog,
  type EffectiveList,
} from '../domain/catalog/effective-catalog.js';
import { toolListText } from '../domain/view/tool-list.js';
import { toolViewText } from '../domain/view/tool-view.js';
import { sendText } from '../http/answer.js';
import { NoQuery, ToolListQuery } from '../http/asks.js';
import { readQuery } from '../http/read.js';
import { Refusal, notAvailable, notFound } from '../http/refusal.js';
import { callerOf, pathParameter } from '../http/request.js';
import { Serves } from '../http/route.js';
import { toolRoutes as routes } from './tool-routes.js';

/** What the caller may discover (API.md 2). */
@Controller()
export class DiscoveryController {
  constructor(@Inject(EFFECTIVE_CATALOG) private readonly catalog: EffectiveCatalog) {}

  @Serves(routes.listTools)
  async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const query = readQuery(request.query, ToolListQuery);
    const list = await this.listFor(callerOf(request), query.run_id);
    const etag = `"${hash('sha256', JSON.stringify([list.digest, query]), 'base64url').slice(0, 27)}"`;
    const headers = { etag, 'cache-control': 'private, no-cache' };
    if (request.headers['if-none-match'] === etag) void reply.code(304).headers(headers).send();
    else sendText(reply, toolListText(list, query), { headers });
  }

  @Serves(routes.readTool)
  async read(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    readQuery(request.query, NoQuery);
    const list = await this.listFor(callerOf(request));
    const found = list.byName.get(pathParameter(request, 'name'));
    if (found === undefined) throw notFound('There is no tool of this name for you.');
    sendText(reply, toolViewText(found));
  }

  private async listFor(caller: Caller, runId?: string): Promise<EffectiveList> {
    const list = await this.catalog.list(caller, runId);
    switch (list.kind) {
      case 'listed':
        return list;
      case 'denied':
        throw new Refusal(outcomes.run_denied.http, 'run_denied', { message: outcomes.run_denied.text });
      case 'unavailable':
        throw notAvailable();
    }
  }
}
