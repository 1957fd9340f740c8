import { Controller, Inject, Req, Res } from '@nestjs/common';
import { BUS, type Bus } from '@uar/bus';
import {
  ServerName,
  beginConnection,
  forgetConnection,
  principalId,
  type AccountId,
  type ReceiptBody,
} from '@uar/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ADMIN_RECEIPT, type AdminReceipt } from '../domain/receipt/admin-receipt.js';
import { sendJson } from '../http/answer.js';
import { NoQuery } from '../http/asks.js';
import { asked } from '../http/asked.js';
import { EDGE, type Edge } from '../http/edge/edge.js';
import { readQuery } from '../http/read.js';
import { Refusal, notAvailable, notFound } from '../http/refusal.js';
import { callerOf, pathParameter } from '../http/request.js';
import { Serves } from '../http/route.js';
import { callbackPath, connectionRoutes as routes } from './connection-routes.js';

const noServer = 'There is no server of this name.';
const noAccount = 'There is no server of this name that has an account.';

/** Accounts at upstreams: who agrees, and that it is forgotten. The connector holds the tokens, no gateway sees one. */
@Controller()
export class ConnectionsController {
  constructor(
    @Inject(BUS) private readonly bus: Bus,
    @Inject(EDGE) private readonly edge: Edge,
    @Inject(ADMIN_RECEIPT) private readonly receipt: AdminReceipt,
  ) {}

  @Serves(routes.connectServer)
  connect(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.begin(request, reply, accountOf(request));
  }

  @Serves(routes.connectOwn)
  connectOwn(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.begin(request, reply, ownAccountOf(request));
  }

  @Serves(routes.disconnectServer)
  disconnect(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.forget(request, reply, accountOf(request));
  }

  @Serves(routes.disconnectOwn)
  disconnectOwn(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.forget(request, reply, ownAccountOf(request));
  }

  private async begin(request: FastifyRequest, reply: FastifyReply, account: AccountId): Promise<void> {
    readQuery(request.query, NoQuery);
    const redirect_uri = this.edge.urlOf(callbackPath);
    const answer = await asked(this.bus, beginConnection, {
      ...account,
      redirect_uri,
      receipt: this.receiptOf('connect', request, account),
    });
    switch (answer.kind) {
      case 'begun': {
        const { authorization_url, expires_at } = answer;
        return sendJson(reply, { authorization_url, expires_at: new Date(expires_at).toISOString() });
      }
      case 'not_found':
        throw notFound(noServer);
      case 'not_applicable':
        throw new Refusal(409, 'not_applicable', answer);
      case 'refused':
      case 'authorization_needed':
      case 'unreachable':
        throw new Refusal(502, 'authorization_failed', answer);
    }
  }

  private async forget(request: FastifyRequest, reply: FastifyReply, account: AccountId): Promise<void> {
    readQuery(request.query, NoQuery);
    const answer = await asked(this.bus, forgetConnection, {
      ...account,
      receipt: this.receiptOf('disconnect', request, account),
    });
    switch (answer.kind) {
      case 'forgotten':
        return sendJson(reply, { forgotten: true, revoked: answer.revoked });
      case 'not_found':
        throw notFound(noAccount);
      case 'unreachable':
        throw notAvailable();
    }
  }

  private receiptOf(
    act: 'connect' | 'disconnect',
    request: FastifyRequest,
    { server, principal }: AccountId,
  ): ReceiptBody {
    const action = principal === undefined ? act : (`${act}_own` as const);
    return this.receipt(callerOf(request).principal, `server.${action} ${server}`);
  }
}

function accountOf(request: FastifyRequest): AccountId {
  const name = pathParameter(request, 'name');
  const server = ServerName.safeParse(name);
  if (!server.success) throw notFound(noServer);
  return { tenant: callerOf(request).principal.tenant, server: server.data };
}

function ownAccountOf(request: FastifyRequest): AccountId {
  return { ...accountOf(request), principal: principalId(callerOf(request).principal) };
}
