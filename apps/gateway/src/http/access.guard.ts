import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Caller, Principal } from '@uar/contracts';
import type { FastifyRequest } from 'fastify';
import { ACCESS, type Access } from '../domain/access/access.js';
import { IDENTITY, type Identified, type Identity } from '../domain/access/identity.js';
import { ROUTE_ACCESS, ROUTE_SCOPE, type RouteAccess, type RouteScope } from './access.js';
import { EDGE, type Edge } from './edge/edge.js';
import { sessionOf } from './page-session.js';
import { forbidden, notAvailable, unauthorized } from './refusal.js';
import { setCaller } from './request.js';
import { scopeRefusal } from './scope-refusal.js';

interface Guarded {
  readonly access: RouteAccess;
  readonly scope: RouteScope;
}

/** Stage 1 of every request, then the scope and the Cedar question that its route names. A route that names none is closed. */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    @Inject(IDENTITY) readonly identity: Identity,
    @Inject(ACCESS) private readonly access: Access,
    @Inject(EDGE) readonly edge: Edge,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    if (context.getType() !== 'http') return true;
    const access: RouteAccess | undefined = Reflect.getMetadata(ROUTE_ACCESS, context.getHandler());
    const scope: RouteScope | undefined = Reflect.getMetadata(ROUTE_SCOPE, context.getHandler());
    if (access === undefined) throw forbidden();
    if (access.kind === 'public') return true;
    if (scope === undefined) throw forbidden();
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const route = { access, scope };
    const known = this.identity.known(request.headers.authorization);
    if (known !== undefined) return this.enter(request, route, known);
    const identified = this.identity.identify(this.approach(request, access));
    if (identified instanceof Promise) return identified.then((it) => this.admit(request, route, it));
    return this.admit(request, route, identified);
  }

  private approach(
    request: FastifyRequest,
    access: RouteAccess,
  ): { authorization: string | undefined; audience?: string } {
    const audience = this.edge.audienceOf(request.url);
    const session = access.kind === 'of_pages' ? sessionOf(request) : undefined;
    const authorization = request.headers.authorization ?? session;
    return { authorization, ...(audience === undefined ? {} : { audience }) };
  }

  private admit(request: FastifyRequest, route: Guarded, identified: Identified): boolean | Promise<boolean> {
    if (identified.kind !== 'verified') {
      this.edge.onUnauthorized(identified.kind === 'invalid' ? identified.cause : 'missing');
      throw unauthorized(identified.kind === 'invalid', this.edge.metadataUrlOf(request.url));
    }
    const door = this.edge.isMcp(request.url) ? 'mcp' : 'http';
    const caller = this.identity.caller(identified.principal, door, this.edge.clientIp.of(request));
    return this.enter(request, route, caller);
  }

  private enter(
    request: FastifyRequest,
    { access, scope }: Guarded,
    caller: Caller,
  ): boolean | Promise<boolean> {
    this.checkScope(request, caller.principal, scope);
    setCaller(request, caller);
    return access.kind === 'governed' ? this.ask(caller, access) : true;
  }

  private checkScope({ url }: FastifyRequest, principal: Principal, scope: RouteScope): void {
    const needed = scope === 'none' ? [] : [scope];
    const refusal = scopeRefusal(this, { principal, url, needed });
    if (refusal !== undefined) throw refusal;
  }

  private async ask(caller: Caller, { action }: RouteAccess & { kind: 'governed' }): Promise<boolean> {
    const question =
      action === 'listTools' ? ({ kind: 'list_tools' } as const) : ({ kind: 'admin', action } as const);
    const allowance = await this.access.may(caller, question);
    switch (allowance.kind) {
      case 'allowed':
        return true;
      case 'denied':
        throw forbidden();
      case 'unavailable':
        throw notAvailable();
    }
  }
}
