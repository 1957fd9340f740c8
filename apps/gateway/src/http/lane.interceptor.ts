import {
  Inject,
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { finalize, type Observable } from 'rxjs';
import { TRIAL_LANES, type Lanes } from '../domain/limit/lanes.js';
import { rateLimited } from './refusal.js';
import { callerOf } from './request.js';

/** Before what the decider tries out: more than a tenant may have waiting is refused here, with how long to wait. */
@Injectable()
export class LaneInterceptor implements NestInterceptor {
  constructor(@Inject(TRIAL_LANES) private readonly lanes: Lanes) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const entry = await this.lanes.enter(callerOf(request).principal.tenant);
    if (entry.kind === 'full') throw rateLimited(entry.retryAfterMs);
    return next.handle().pipe(finalize(() => entry.leave()));
  }
}
