import { ApprovalId } from '@uar/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { pagesPath } from '../http/page-session.js';
import type { Refusal } from '../http/refusal.js';
import { sendPage } from './layout.js';
import { messagePage, signInPage } from './other-pages.js';

const titles: Readonly<Record<number, string>> = {
  403: 'Not allowed',
  404: 'Not found',
  503: 'Not available now',
};

/** What was refused of the pages, as a page: without a token that is accepted, a form to sign in. */
export function sendRefusalPage(request: FastifyRequest, reply: FastifyReply, refusal: Refusal): void {
  const { status, headers, message } = refusal;
  const place = (request.url.split('?')[0] ?? '') === pagesPath ? 'list' : 'item';
  if (status !== 401) {
    const title = titles[status] ?? 'This did not work';
    return sendPage(reply, { title, place, body: messagePage(title, message) }, { status, headers });
  }
  const isTokenBad = headers['www-authenticate']?.includes('invalid_token') === true;
  const problem = isTokenBad ? 'Your session has ended, or the token is not accepted.' : undefined;
  const body = signInPage({
    place,
    next: ApprovalId.safeParse(request.url.split(/[/?]/)[2]).data ?? '',
    fromElsewhere: request.headers['sec-fetch-site'] === 'cross-site',
    ...(problem === undefined ? {} : { problem }),
  });
  sendPage(reply, { title: 'Sign in', place, body }, { status, headers });
}
