import type { ApprovalView } from '@uar/contracts';
import { timeText } from './approval-page.js';
import { html, nothing, plain, type Html } from './html.js';
import { addressOf, type Place } from './layout.js';

export function listPage(approvals: readonly ApprovalView[], nextCursor: string | undefined): Html {
  const next = nextCursor === undefined ? undefined : `approvals?cursor=${encodeURIComponent(nextCursor)}`;
  return html`<h1>Waiting for a decision</h1>
    ${
      approvals.length === 0
        ? html`<p class="card">Nothing waits for you here.</p>`
        : html`<ul class="list">
            ${approvals.map(item)}
          </ul>`
    }
    ${next === undefined ? nothing : html`<p><a href="${next}">Older ones</a></p>`}`;
}

function item({ approval_id, tool, server, requester, risk, expires_at }: ApprovalView): Html {
  return html`<li class="card">
    <p>
      <a href="${addressOf('list', approval_id)}"
        ><strong><bdi>${plain(tool)}</bdi></strong></a
      >
      on <bdi>${plain(server)}</bdi>
    </p>
    <p>Requested by <bdi>${plain(requester)}</bdi></p>
    <p>
      Risk <strong class="${risk.level}">${risk.level}</strong>, expires
      <time datetime="${expires_at}">${timeText(expires_at)}</time>
    </p>
  </li>`;
}

export interface SignIn {
  readonly place: Place;
  /** Approval to come back to; empty: the list. */
  readonly next: string;
  readonly problem?: string;
  /** The visitor came by a link on another site: their session, if any, did not come along. */
  readonly fromElsewhere: boolean;
}

/** A session by token: whoever has one shows it, and nothing else is known here. */
export function signInPage({ place, next, problem, fromElsewhere }: SignIn): Html {
  return html`<h1>Sign in to decide</h1>
    ${problem === undefined ? nothing : html`<p class="note" role="alert">${problem}</p>`}
    ${fromElsewhere ? html`<p class="card"><a href="${addressOf(place, next)}">I have signed in already: open the page</a></p>` : nothing}
    <form class="card" method="post" action="${addressOf(place, 'sign-in')}">
      <label for="token">Access token</label>
      <textarea
        id="token"
        name="token"
        rows="4"
        required
        autocomplete="off"
        spellcheck="false"
        autocapitalize="off"
        aria-describedby="token-hint"
      ></textarea>
      <p class="hint" id="token-hint">
        It is kept in a cookie of these pages alone, no longer than it is valid, until you sign out. On a
        laptop,
        <code>npx --no uar token</code> prints one.
      </p>
      <input type="hidden" name="next" value="${next}" />
      <button>Sign in</button>
    </form>`;
}

export function messagePage(title: string, text: string): Html {
  return html`<h1>${title}</h1>
    <p class="card" role="status">${text}</p>`;
}
