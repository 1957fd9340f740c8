import { principalId, type Principal } from '@uar/contracts';
import type { FastifyReply } from 'fastify';
import { html, nothing, plain, type Html, Html as Markup } from './html.js';
import { strictHeaders, style } from './style.js';

/** Where a page stands: links and forms are relative, so that they hold behind a gateway that adds a path. */
export type Place = 'list' | 'item';

export interface Page {
  readonly title: string;
  readonly place: Place;
  readonly body: Html;
  /** Who looks, where that is known; `signedIn`: by the cookie of these pages, which may be cleared. */
  readonly visitor?: { readonly principal: Principal; readonly signedIn: boolean };
}

/** The address of something under `/approvals` (or of the list itself), seen from a page. */
export function addressOf(place: Place, name: string): string {
  if (name === '') return place === 'list' ? 'approvals' : '../approvals';
  return place === 'list' ? `approvals/${name}` : name;
}

function pageText({ title, place, body, visitor }: Page): string {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} - UAR</title>
        ${new Markup(`<style>${style}</style>`)}
      </head>
      <body>
        <a class="skip" href="#content">To the content</a>
        <header>
          <p><a href="${addressOf(place, '')}">Approvals</a></p>
          ${visitor?.signedIn === true ? signOut(place) : nothing}
        </header>
        <main id="content" tabindex="-1">${body}</main>
        <footer>${visitor === undefined ? nothing : visitorLine(visitor.principal)}</footer>
      </body>
    </html> `;
  return page.text;
}

function visitorLine(principal: Principal): Html {
  return html`<p>You are <bdi>${plain(principalId(principal))}</bdi>.</p>`;
}

function signOut(place: Place): Html {
  return html`<form method="post" action="${addressOf(place, 'sign-out')}"><button>Sign out</button></form>`;
}

export function sendPage(
  reply: FastifyReply,
  page: Page,
  options: { readonly status?: number; readonly headers?: Readonly<Record<string, string>> } = {},
): void {
  void reply
    .code(options.status ?? 200)
    .headers({ ...options.headers, ...strictHeaders, 'content-type': 'text/html; charset=utf-8' })
    .send(pageText(page));
}

/** 303: whatever was posted is done, and a reload does not do it again. */
export function seeOther(reply: FastifyReply, location: string, headers: Record<string, string> = {}): void {
  void reply
    .code(303)
    .headers({ ...strictHeaders, ...headers, location })
    .send();
}
