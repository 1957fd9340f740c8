import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect } from 'vitest';
import { clientOf, decide, eventually, pendingApproval, toolListed, user, type Body } from '../../client.js';
import { keeps } from '../../keeps.js';
import { createCounters, fixtureServer, onBothBuses } from '../../on-both-buses.js';

const counters = createCounters();
const tool = 'fix__write';
const secret = 'the-key-of-this-scenario-is-long-enough';

interface Message {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: Body;
}

/** A real receiver: it answers the next message as it is told, all others with 204. */
class Hook {
  readonly messages: Message[] = [];
  next: ((response: ServerResponse) => void)[] = [];
  private readonly server: Server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const text = Buffer.concat(parts).toString();
      this.messages.push({ headers: request.headers, text, body: JSON.parse(text) as Body });
      const answer = this.next.shift();
      if (answer === undefined) response.writeHead(204).end();
      else answer(response);
    });
  });

  async start(): Promise<void> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
  }

  get url(): string {
    const address = this.server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    return `http://127.0.0.1:${address.port}/hook`;
  }

  /** Messages about an approval, once there are so many. */
  about(approvalId: string, count: number): Promise<Message[]> {
    return eventually(async () => {
      const found = this.messages.filter(
        ({ body }) => String(body['approval']?.['approval_id']) === approvalId,
      );
      return Promise.resolve(found.length >= count ? found : undefined);
    }, 20_000);
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

const hook = new Hook();
await hook.start();
afterAll(() => {
  hook.stop();
  counters.remove();
});

onBothBuses(
  'the webhook',
  (bus) => ({
    env: { HOOK_KEY: secret },
    config: {
      approvals: { webhook: { url: hook.url, secret_env: 'HOOK_KEY' } },
      mcp: { servers: { fix: fixtureServer({ COUNT_FILE: counters[bus].file }) } },
    },
  }),
  (product) => {
    beforeAll(async () => {
      await toolListed(clientOf(product()), tool);
    });

    async function asked(id: string) {
      const waiting = clientOf(product(), user).execute(tool, { id, note: 'planted-argument' });
      const approval = await pendingApproval(clientOf(product()), tool);
      return { waiting, approval, approvalId: String(approval['approval_id']) };
    }
    const dead = async () => {
      const { body } = await clientOf(product()).get('/api/uar/webhooks/deliveries?status=dead');
      return (body['deliveries'] ?? []) as unknown as Body[];
    };

    keeps(
      ['webhook.signed'],
      'each step is told, signed, without arguments, with a link to the page',
      async () => {
        const { waiting, approval, approvalId } = await asked('signed');
        await decide(clientOf(product()), approval, 'approve');
        expect((await waiting).body['outcome']).toBe('completed');
        const messages = await hook.about(approvalId, 2);
        expect(messages.map(({ body }) => [body['event'], body['approval']?.['status']])).toEqual([
          ['approval.required', 'pending'],
          ['approval.settled', 'approved'],
        ]);
        for (const { headers, text, body } of messages) {
          const signed = createHmac('sha256', secret).update(`${headers['uar-webhook-timestamp']}.${text}`);
          expect(headers['uar-webhook-signature']).toBe(`v1=${signed.digest('hex')}`);
          expect(headers['uar-webhook-id']).toBe(body['id']);
          expect(text).not.toContain('planted-argument');
          expect(String(body['approval']?.['url'])).toBe(`${product().gateway}/approvals/${approvalId}`);
        }
        expect(product().output()).not.toContain(secret);
      },
    );

    keeps(
      ['webhook.retry'],
      'after 500 and a redirect a message is sent again, and call and vote do not wait for it',
      async () => {
        hook.next = [
          (response) => response.writeHead(500).end(),
          (response) => response.writeHead(302, { location: `${hook.url}/elsewhere` }).end(),
        ];
        const { waiting, approval, approvalId } = await asked('retried');
        await decide(clientOf(product()), approval, 'reject');
        expect((await waiting).body['outcome']).toBe('approval_rejected');
        const messages = await hook.about(approvalId, 4);
        expect(messages.map(({ body }) => body['event'])).toEqual([
          ...Array<string>(3).fill('approval.required'),
          'approval.settled',
        ]);
        expect(new Set(messages.slice(0, 3).map(({ body }) => body['id'])).size).toBe(1);
      },
    );

    keeps(
      ['webhook.dead-letter'],
      'a message that is refused for good is a dead letter, and an administrator sends it again',
      async () => {
        hook.next = [(response) => response.writeHead(410).end()];
        const { waiting, approval, approvalId } = await asked('gone');
        const [letter] = await eventually(async () => {
          const letters = await dead();
          return letters.length > 0 ? letters : undefined;
        });
        expect(letter).toMatchObject({ approval_id: approvalId, attempts: 1, problem: 'answered 410' });
        const id = String(letter?.['delivery_id']);
        const path = `/api/uar/webhooks/deliveries/${id}/retry`;
        expect((await clientOf(product(), user).request(path, { method: 'POST' })).status).toBe(403);
        const stranger = clientOf(product(), { sub: 'bo', roles: ['admin'], tenant: 'beta' });
        expect([403, 404]).toContain((await stranger.request(path, { method: 'POST' })).status);
        expect((await clientOf(product()).request(path, { method: 'POST' })).status).toBe(200);
        await hook.about(approvalId, 2);
        await eventually(async () => ((await dead()).length === 0 ? true : undefined));
        expect((await clientOf(product()).request(path, { method: 'POST' })).status).toBe(409);
        const { text } = await clientOf(product()).get('/api/uar/receipts?limit=1000');
        expect(text).toContain(`webhook.retry ${id}`);
        const metrics = await (await fetch(`${product().management}/metrics`)).text();
        expect(metrics).toMatch(/uar_webhook_attempts_total\{[^}]*result="dead"[^}]*\} 1/);
        expect(product().output().split('a webhook message was given up')).toHaveLength(2);
        await decide(clientOf(product()), approval, 'reject');
        await waiting;
      },
    );
  },
);
