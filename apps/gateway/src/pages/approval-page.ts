import { principalId, type ApprovalStatus, type ApprovalView, type Principal } from '@uar/contracts';
import { html, nothing, plain, type Html } from './html.js';

const stateTexts: Readonly<Record<ApprovalStatus, string>> = {
  pending: 'Waiting for a decision',
  approved: 'Approved',
  rejected: 'Rejected',
  expired: 'Expired',
  cancelled: 'Cancelled',
  channel_closed: 'Ended: nobody waits for it any more',
  consumed: 'Approved and used',
};

export interface ApprovalPage {
  readonly approval: ApprovalView;
  readonly visitor: Principal;
  /** Why the vote that was just sent did not count. */
  readonly problem?: string;
}

/** Everything that a person needs to decide: who asks to run what, why that needs a human, and what exactly would run. */
export function approvalPage({ approval, visitor, problem }: ApprovalPage): Html {
  return html`<h1>Run <bdi>${plain(approval.tool)}</bdi>?</h1>
    ${problem === undefined ? nothing : html`<p class="note" role="alert">${problem}</p>`}
    <div class="card">
      <p><span class="state ${approval.status}">${stateTexts[approval.status]}</span></p>
      ${facts(approval)}
      <h2 id="arguments">Arguments</h2>
      <pre tabindex="0" role="region" aria-labelledby="arguments">${approval.arguments_preview}</pre>
      <p class="hint">Characters that could hide or reorder text are written as \\u{hex}.</p>
      ${votes(approval)}${approval.status === 'pending' ? decision(approval, visitor) : nothing}
    </div>`;
}

function facts({ tool, server, requester, risk, rule, created_at, expires_at }: ApprovalView): Html {
  const reasons = risk.reasons.map((reason) => html`<li><bdi>${plain(reason)}</bdi></li>`);
  const approvers = `${rule.quorum} of: ${rule.approvers}`;
  return html`<dl>
    ${row('Tool', tool)}${row('Server', server)}${row('Requested by', requester)}
    <dt>Risk</dt>
    <dd>
      <strong class="${risk.level}">${risk.level}</strong>
      ${
        reasons.length === 0
          ? nothing
          : html`<ul>
              ${reasons}
            </ul>`
      }
    </dd>
    ${row('Approvals needed', approvers)}${time('Requested', created_at)}${time('Expires', expires_at)}
  </dl>`;
}

function row(name: string, text: string): Html {
  return html`<dt>${name}</dt>
    <dd><bdi>${plain(text)}</bdi></dd>`;
}

/** Absolute, and in the one time zone that everybody can reckon from. */
function time(name: string, iso: string): Html {
  return html`<dt>${name}</dt>
    <dd><time datetime="${iso}">${timeText(iso)}</time></dd>`;
}

export function timeText(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;
}

function votes({ votes: cast, rule }: ApprovalView): Html {
  const approving = cast.filter(({ decision: how }) => how === 'approve').length;
  const items = cast.map(
    ({ by, decision: how, reason, at }) =>
      html`<li>
        <bdi>${plain(by)}</bdi> ${how === 'approve' ? 'approved' : 'rejected'} at
        <time datetime="${at}">${timeText(at)}</time>${reason === undefined ? '' : ': '}<bdi
          >${plain(reason ?? '')}</bdi
        >
      </li>`,
  );
  return html`<h2>Votes</h2>
    <p>${approving} of ${rule.quorum} approved.</p>
    ${
      items.length === 0
        ? nothing
        : html`<ul>
            ${items}
          </ul>`
    }`;
}

function decision({ requester }: ApprovalView, visitor: Principal): Html {
  const own = requester === principalId(visitor);
  return html`<h2>Your decision</h2>
    ${own ? html`<p class="note">You asked for this yourself. As a rule somebody else has to approve it.</p>` : nothing}
    <form method="post">
      <label for="reason">Reason (optional)</label>
      <textarea id="reason" name="reason" rows="2" maxlength="1000" aria-describedby="reason-hint"></textarea>
      <p class="hint" id="reason-hint">Everybody who may see this approval sees it.</p>
      <div class="buttons">
        <button class="yes" name="decision" value="approve">Approve</button>
        <button class="no" name="decision" value="reject">Reject</button>
      </div>
    </form>`;
}
