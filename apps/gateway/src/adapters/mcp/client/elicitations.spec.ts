import { describe, expect, it } from 'vitest';
import type { ApprovalView } from '@uar/contracts';
import { ClientRequests } from './client-requests.js';
import { Elicitations } from './elicitations.js';

const approval = (id: string) => ({ approval_id: id, tool: 'srv__write\u202e' }) as ApprovalView;
const url = { protocolVersion: '2025-11-25', capabilities: { elicitation: { url: {} } } };

interface Sent {
  readonly id?: string;
  readonly method: string;
  readonly params: Record<string, unknown>;
}

function session(greeting: unknown = url, open = new Set<string | number>([1, 2])) {
  const sent: { message: Sent; related: unknown }[] = [];
  const requests = new ClientRequests({
    send: (message, options) => {
      sent.push({ message: message as unknown as Sent, related: options?.relatedRequestId });
      return Promise.resolve();
    },
    hasStream: (request) => open.has(request),
  });
  const pageUrl = (id: string): string => `https://uar.example/approvals/${id}`;
  const elicitations = new Elicitations({ requests, pageUrl });
  elicitations.greet(greeting);
  return { elicitations, requests, sent, open, methods: () => sent.map(({ message }) => message.method) };
}

function answer(id: string | undefined, action = 'accept') {
  const message = { jsonrpc: '2.0', id, result: { action } } as const;
  return { kind: 'response', message, text: JSON.stringify(message) } as const;
}

describe('elicitation', () => {
  it.each([
    [null],
    [{ protocolVersion: '2025-11-25', capabilities: {} }],
    [{ protocolVersion: '2025-11-25', capabilities: { elicitation: {} } }],
    [{ protocolVersion: '2025-11-25', capabilities: { elicitation: { form: {} } } }],
    [{ ...url, protocolVersion: '2025-06-18' }],
    [{ protocolVersion: '2025-11-25', capabilities: { elicitation: { url: true } } }],
  ])('is nothing for a client that says %j', (greeting) => {
    const { elicitations, sent } = session(greeting);
    elicitations.ask(approval('appr_1'), 1);
    elicitations.forget('appr_1');
    expect(sent).toEqual([]);
  });

  it('is sent once per approval, on the stream of its request, with a visible name', () => {
    const { elicitations, sent } = session();
    elicitations.ask(approval('appr_1'), 1);
    elicitations.ask(approval('appr_1'), 2);
    expect(sent).toHaveLength(1);
    expect(sent[0]).toMatchObject({ related: 1, message: { params: { mode: 'url' } } });
    expect(sent[0]?.message.params['message']).toContain('srv__write\\u{202e} waits');
  });

  it('is complete once; a client that has not answered need not any more', () => {
    const { elicitations, methods, sent } = session();
    elicitations.ask(approval('appr_1'), 1);
    elicitations.complete('appr_1');
    elicitations.forget('appr_1');
    expect(methods()).toEqual([
      'elicitation/create',
      'notifications/elicitation/complete',
      'notifications/cancelled',
    ]);
    expect(sent[2]?.message.params['requestId']).toBe(sent[0]?.message.id);
  });

  it('is complete without more where the client has answered', () => {
    const { elicitations, requests, methods, sent } = session();
    elicitations.ask(approval('appr_1'), 1);
    expect(requests.take(answer(sent[0]?.message.id, 'decline'))).toBe(true);
    elicitations.forget('appr_1');
    expect(methods()).toEqual(['elicitation/create', 'notifications/elicitation/complete']);
  });

  it('goes on with the stream of the session when the request has been answered', () => {
    const { elicitations, open, sent } = session();
    elicitations.ask(approval('appr_1'), 1);
    open.delete(1);
    elicitations.complete('appr_1');
    expect(sent.slice(1).map(({ related }) => related)).toEqual([undefined, undefined]);
  });
});
