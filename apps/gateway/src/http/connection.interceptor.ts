import {
  Inject,
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { CONNECTION_LIMITS, type ConnectionLimits } from '../domain/limit/connection-limits.js';
import { rateLimited } from './refusal.js';
import { callerOf } from './request.js';

/** Before a connection is begun: whoever begins too many is refused here, before anybody is asked. */
@Injectable()
export class ConnectionInterceptor implements NestInterceptor {
  constructor(@Inject(CONNECTION_LIMITS) private readonly limits: ConnectionLimits) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const retryAfterMs = this.limits.begin(callerOf(request).principal);
    if (retryAfterMs > 0) throw rateLimited(retryAfterMs);
    return next.handle();
  }
}
