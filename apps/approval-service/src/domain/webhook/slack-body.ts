import type { ApprovalStatus } from '@uar/contracts';
import { approvalView } from '../approval-view.js';
import type { MessageFacts } from './message.js';

const pastTense: Readonly<Record<ApprovalStatus, string>> = {
  pending: 'is pending',
  approved: 'was approved',
  rejected: 'was rejected',
  expired: 'has expired',
  cancelled: 'was cancelled',
  channel_closed: 'has ended: nobody waits for it any more',
  consumed: 'was used',
};

/** Slack takes 3,000 characters in a section's text, and 150 lines of reasons help nobody. */
const mostReasons = 5;
const mostCharacters = 300;

/**
 * The body of format `slack`: an incoming webhook's message of `text` and `blocks` (docs.slack.dev, "Formatting message
 * text": `&`, `<` and `>` are escaped, so no name can be a link or a mention).
 */
export function slackBody(facts: MessageFacts): string {
  const view = approvalView(facts.approval, facts.createdAt);
  const tool = escaped(view.tool);
  const asks = facts.event === 'approval.required';
  const headline = asks
    ? `Approval needed: ${tool}`
    : `Approval of ${tool} ${pastTense[facts.approvalStatus]}`;
  const details = [
    `*${headline}*`,
    `Requested by ${escaped(view.requester)} on server ${escaped(view.server)}`,
    `Risk: ${view.risk.level}${reasonsText(view.risk.reasons)}`,
    `Needs ${view.rule.quorum} of: ${escaped(view.rule.approvers)}`,
    ...(asks ? [`Expires ${view.expires_at}`] : []),
    `\`${view.approval_id}\``,
  ];
  const blocks = [{ type: 'section', text: { type: 'mrkdwn', text: details.join('\n') } }];
  return JSON.stringify({ text: headline, blocks: [...blocks, ...button(facts, asks)] });
}

function button({ approval }: MessageFacts, asks: boolean): object[] {
  const { page_url } = approval.draft;
  if (page_url === undefined) return [];
  const text = { type: 'plain_text', text: asks ? 'Review and decide' : 'Look at it' };
  return [{ type: 'actions', elements: [{ type: 'button', text, url: page_url }] }];
}

function reasonsText(reasons: readonly string[]): string {
  if (reasons.length === 0) return '';
  const more = reasons.length - mostReasons;
  const shown = reasons.slice(0, mostReasons).map(escaped).join('; ');
  return ` (${shown}${more > 0 ? `; ${more} more` : ''})`;
}

/** Also on one line, and cut: what people read in a chat comes from policies, tokens and catalogs. */
function escaped(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cf}]+/gu, ' ');
  const cut = line.length > mostCharacters ? `${line.slice(0, mostCharacters)}…` : line;
  const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
  return cut.replace(/[&<>]/g, (sign) => entities[sign] ?? sign);
}
