import { Controller, Inject, Req, Res } from '@nestjs/common';
import { ApprovalId } from '@uar/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { IDENTITY, type Identity } from '../domain/access/identity.js';
import { NoQuery } from '../http/asks.js';
import { EDGE, type Edge } from '../http/edge/edge.js';
import { longestCookieToken, pagesPath, sessionCookie } from '../http/page-session.js';
import { readQuery } from '../http/read.js';
import { Serves } from '../http/route.js';
import { scopeRefusal } from '../http/scope-refusal.js';
import { addressOf, seeOther, sendPage } from './layout.js';
import { signInPage } from './other-pages.js';
import { SignInForm, pageRoutes as routes } from './page-routes.js';
import { readForm, refuseForeign } from './visit.js';

/** A session by token, for the pages alone: neither `/api` nor `/mcp` looks at the cookie. */
@Controller()
export class SignInController {
  constructor(
    @Inject(IDENTITY) readonly identity: Identity,
    @Inject(EDGE) readonly edge: Edge,
  ) {}

  @Serves(routes.signIn)
  async signIn(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    readQuery(request.query, NoQuery);
    refuseForeign(request, this.edge);
    const form = readForm(request, SignInForm);
    const token = form.token.trim();
    const next = ApprovalId.safeParse(form.next).success ? form.next : '';
    if (token.length > longestCookieToken)
      return again(reply, next, 'This token is too long for a cookie. Come through a gateway that sends it.');
    const identified = await this.identity.identify({ authorization: `Bearer ${token}` });
    const lives = identified.kind === 'verified' ? this.secondsLeft(identified.principal.expires_at) : 0;
    if (identified.kind !== 'verified' || lives <= 0) {
      this.edge.onUnauthorized(identified.kind === 'invalid' ? identified.cause : 'missing');
      return again(
        reply,
        next,
        'This token is not accepted. It may have expired, or be meant for another place.',
      );
    }
    const needed = [routes.showApprovals.scope];
    const refusal = scopeRefusal(this, { principal: identified.principal, url: pagesPath, needed });
    if (refusal !== undefined) return again(reply, next, refusal.message);
    const cookie = sessionCookie(token, { pages: this.pages(), maxAgeSeconds: lives });
    seeOther(reply, addressOf('item', next), { 'set-cookie': cookie });
  }

  @Serves(routes.signOut)
  signOut(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    readQuery(request.query, NoQuery);
    refuseForeign(request, this.edge);
    const cookie = sessionCookie('', { pages: this.pages(), maxAgeSeconds: 0 });
    seeOther(reply, addressOf('item', ''), { 'set-cookie': cookie });
  }

  private pages(): URL {
    return new URL(this.edge.urlOf(pagesPath));
  }

  private secondsLeft(expiresAt: number): number {
    return Math.floor((expiresAt - Date.now()) / 1_000);
  }
}

function again(reply: FastifyReply, next: string, problem: string): void {
  const body = signInPage({ place: 'item', next, problem, fromElsewhere: false });
  sendPage(reply, { title: 'Sign in', place: 'item', body }, { status: 401 });
}
