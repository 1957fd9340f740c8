import { randomBytes } from 'node:crypto';
import type { Caller } from '@uar/contracts';

export interface OwnRequest {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  readonly url: string;
  readonly body?: string;
}

export interface OwnAnswer {
  readonly status: number;
  /** JSON. */
  readonly text: string;
}

/** Answers a request without a connection, through everything that a request from outside passes. */
export type Inject = (request: OwnRequest & { readonly authorization: string }) => Promise<OwnAnswer>;

const scheme = 'uar-own ';

/**
 * Requests that this process makes of its own routes for a caller whom it knows already. In place of a token each carries a
 * secret that is good once, for the time of the request, and is known to nobody else.
 */
export class OwnRequests {
  private readonly callers = new Map<string, Caller>();
  private inject: Inject | undefined;

  /** Once the routes are there. */
  serveBy(inject: Inject): void {
    this.inject = inject;
  }

  async send(caller: Caller, request: OwnRequest): Promise<OwnAnswer> {
    if (this.inject === undefined) throw new Error('the routes are not served yet');
    const authorization = `${scheme}${randomBytes(32).toString('base64url')}`;
    this.callers.set(authorization, caller);
    try {
      return await this.inject({ ...request, authorization });
    } finally {
      this.callers.delete(authorization);
    }
  }

  /** Whom a request is made for; undefined: it is none of ours. */
  take(authorization: string | undefined): Caller | undefined {
    if (authorization?.startsWith(scheme) !== true) return undefined;
    const caller = this.callers.get(authorization);
    this.callers.delete(authorization);
    return caller;
  }
}
