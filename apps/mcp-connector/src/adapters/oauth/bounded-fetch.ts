import { Agent } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { AddressRules } from '../http/address-rules.js';
import { readBody } from '../http/body.js';
import { send } from '../http/post.js';
import { OAuthProblem } from './oauth-types.js';

const maxBytes = 256 * 1024;
const timeoutMs = 10_000;
const bodiless = new Set([204, 205, 304]);

export interface FetchRules {
  readonly addresses: AddressRules;
  /** Whether plain http will do: only where the upstream itself is reached so. */
  readonly allowHttp: boolean;
}

/** `fetch` for what an upstream and its authorization server say: our address rules, bounded in time and size, no redirect of a POST. */
export function boundedFetch(rules: FetchRules): FetchLike {
  return async (url, init = {}) => {
    const target = new URL(url);
    refuseUrl(target, rules);
    const method = init.method === 'POST' ? 'POST' : 'GET';
    const agent = new (target.protocol === 'https:' ? TlsAgent : Agent)();
    const response = await send(
      { url: target, agent, lookup: rules.addresses.lookup },
      {
        method,
        headers: Object.fromEntries(new Headers(init.headers)),
        ...(init.body === undefined || init.body === null ? {} : { body: bodyText(init.body) }),
        signal: AbortSignal.timeout(timeoutMs),
      },
    );
    const body = await readBody(response, maxBytes);
    const status = response.statusCode ?? 0;
    if (body.kind === 'too_long')
      throw new OAuthProblem('refused', 'an answer about authorization is too long');
    if (method === 'POST' && status >= 300 && status < 400)
      throw new OAuthProblem('refused', 'the authorization server wants to send a request elsewhere');
    const { location, 'content-type': type } = response.headers;
    return new Response(bodiless.has(status) ? null : body.text, {
      status,
      headers: {
        ...(location === undefined ? {} : { location }),
        ...(type === undefined ? {} : { 'content-type': type }),
      },
    });
  };
}

/** Throws where the URL may not be asked, nor a browser be sent there. */
export function refuseUrl(url: URL, { addresses, allowHttp }: FetchRules): void {
  const problem = addresses.urlProblem(url);
  if (problem !== undefined) throw new OAuthProblem('refused', problem);
  if (url.protocol === 'http:' && !allowHttp)
    throw new OAuthProblem('refused', 'an upstream over https names a URL over plain http');
}

function bodyText(body: NonNullable<RequestInit['body']>): string {
  if (typeof body === 'string') return body;
  if (body instanceof URLSearchParams) return body.toString();
  throw new TypeError('the body is of a kind that is not sent');
}
