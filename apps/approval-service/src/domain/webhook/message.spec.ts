import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { draft, principal } from '../../contract-spec/samples.fixture.js';
import { signedHeaders, uarBody, type MessageFacts } from './message.js';
import { slackBody } from './slack-body.js';

const planted = 'planted-argument';

function facts(changes: Partial<MessageFacts> = {}, ofDraft: Parameters<typeof draft>[0] = {}): MessageFacts {
  const asked = draft({
    arguments_preview: planted,
    page_url: 'https://uar.example/approvals/x',
    ...ofDraft,
  });
  return {
    deliveryId: `whk_${'a'.repeat(32)}`,
    event: 'approval.required',
    approvalStatus: 'pending',
    createdAt: 1_000,
    approval: { draft: asked, status: 'pending', createdAt: 900, votes: [] },
    ...changes,
  };
}

describe('a message of format uar', () => {
  it('says who asks for what, and how far it is, and shows no argument', () => {
    const one = facts();
    const body = uarBody(one);
    const { approval_id, call_id, requester, run_id } = one.approval.draft;
    expect(JSON.parse(body)).toEqual({
      id: one.deliveryId,
      event: 'approval.required',
      at: '1970-01-01T00:00:01.000Z',
      tenant: 'acme',
      approval: {
        approval_id,
        call_id,
        run_id,
        tool: 'files__write',
        server: 'files',
        requester: `User::"acme/${requester.subject}"`,
        risk: { level: 'high', reasons: ['writes files'] },
        rule: { quorum: 1, approvers: expect.any(String) },
        status: 'pending',
        created_at: '1970-01-01T00:00:00.900Z',
        expires_at: new Date(one.approval.draft.expires_at).toISOString(),
        url: 'https://uar.example/approvals/x',
      },
    });
    expect(body).not.toContain(planted);
  });

  it('keeps the status that it was written about, whatever became of the record since', () => {
    const { approval } = facts();
    const body = uarBody(
      facts({ approval: { ...approval, status: 'consumed' }, approvalStatus: 'approved' }),
    );
    expect(JSON.parse(body).approval.status).toBe('approved');
  });

  it('is signed over time and body', () => {
    const secret = 'k'.repeat(32);
    const headers = signedHeaders({ deliveryId: 'whk_1', body: '{"ä":1}' }, secret, 61_999);
    const expected = createHmac('sha256', secret).update('61.{"ä":1}', 'utf8').digest('hex');
    expect(headers).toEqual({
      'uar-webhook-id': 'whk_1',
      'uar-webhook-timestamp': '61',
      'uar-webhook-signature': `v1=${expected}`,
    });
  });
});

describe('a message of format slack', () => {
  it('has a text, a section and a button to the page, and shows no argument', () => {
    const body = slackBody(facts());
    const { text, blocks } = JSON.parse(body);
    expect(text).toBe('Approval needed: files__write');
    expect(blocks.map((block: { type: string }) => block.type)).toEqual(['section', 'actions']);
    expect(blocks[1].elements[0]).toMatchObject({ type: 'button', url: 'https://uar.example/approvals/x' });
    expect(body).not.toContain(planted);
  });

  it('lets no name be a link, a mention or a line of its own', () => {
    const requester = principal('<!channel> & <https://evil.example|click>\n*Risk: low*');
    const body = slackBody(facts({}, { requester, reasons: ['<@U1>\u202e'] }));
    expect(body).not.toMatch(/<[!@h]/);
    const { text } = JSON.parse(body).blocks[0].text;
    expect(text).toContain('&lt;!channel&gt; &amp; &lt;https://evil.example|click&gt;\\n*Risk: low*');
    expect(text.split('\n')).toHaveLength(6);
    expect(text).not.toContain('\u202e');
  });

  it('says how it ended', () => {
    const { text } = JSON.parse(slackBody(facts({ event: 'approval.settled', approvalStatus: 'expired' })));
    expect(text).toBe('Approval of files__write has expired');
  });

  it('stays within what Slack takes for a section, whatever it is about', () => {
    const long = 'x'.repeat(5_000);
    const reasons = Array.from({ length: 50 }, () => long);
    const { blocks } = JSON.parse(
      slackBody(facts({}, { requester: principal(long), reasons, tool_name: long })),
    );
    expect(blocks[0].text.text.length).toBeLessThan(3_000);
  });
});
