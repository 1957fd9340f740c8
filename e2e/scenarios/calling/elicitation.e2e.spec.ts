import { Client as McpClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  ElicitRequestSchema,
  ElicitationCompleteNotificationSchema,
  type ElicitRequest,
  type ElicitResult,
} from '@modelcontextprotocol/sdk/types.js';
import type { Product } from '@uar/testkit';
import { afterAll, beforeAll, expect } from 'vitest';
import { clientOf, decide, eventually, pendingApproval, toolListed, user } from '../../client.js';
import { keeps } from '../../keeps.js';
import { createCounters, fixtureServer, onBothBuses } from '../../on-both-buses.js';

const counters = createCounters();
afterAll(() => counters.remove());

const tool = 'fix__write';

interface Asked {
  readonly client: McpClient;
  readonly requests: ElicitRequest['params'][];
  /** Ids that were said to be complete. */
  readonly complete: string[];
}

/** The SDK's own client, which answers each elicitation with `action`. */
async function connected(
  product: Product,
  action: ElicitResult['action'] | 'nothing',
  elicitation: { url: object } | { form: Record<string, unknown> } = { url: {} },
): Promise<Asked> {
  const client = new McpClient({ name: 'e2e', version: '1.0.0' }, { capabilities: { elicitation } });
  const requests: Asked['requests'] = [];
  const complete: string[] = [];
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    requests.push(params);
    return action === 'nothing' ? new Promise<ElicitResult>(() => undefined) : { action };
  });
  client.setNotificationHandler(ElicitationCompleteNotificationSchema, ({ params }) => {
    complete.push(params.elicitationId);
  });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${product.gateway}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${product.token(user)}` } },
    }),
  );
  return { client, requests, complete };
}

onBothBuses(
  'elicitation',
  (bus) => ({ config: { mcp: { servers: { fix: fixtureServer({ COUNT_FILE: counters[bus].file }) } } } }),
  (product, bus) => {
    beforeAll(async () => {
      await toolListed(clientOf(product()), tool);
    });
    const ran = (id: string): number => counters[bus].executions().filter((each) => each === id).length;
    const call = ({ client }: Asked, id: string, notes?: unknown[]) =>
      client.callTool({ name: tool, arguments: { id } }, undefined, {
        ...(notes === undefined ? {} : { onprogress: (note) => void notes.push(note) }),
      });

    keeps(
      ['mcp.elicitation'],
      'a client that declared it is sent to the page, and hears that it is over before its result',
      async () => {
        const asked = await connected(product(), 'accept');
        const notes: unknown[] = [];
        const waiting = call(asked, 'elicited', notes);
        const approval = await pendingApproval(clientOf(product()), tool);
        await eventually(() => Promise.resolve(asked.requests[0]));
        expect(asked.requests).toEqual([
          {
            mode: 'url',
            elicitationId: expect.any(String) as string,
            url: `${product().gateway}/approvals/${String(approval['approval_id'])}`,
            message: expect.stringContaining(tool) as string,
          },
        ]);
        expect(asked.complete).toEqual([]);
        expect(ran('elicited')).toBe(0);
        await decide(clientOf(product()), approval, 'approve');
        expect((await waiting).isError).not.toBe(true);
        const [request] = asked.requests;
        expect(asked.complete).toEqual([
          request !== undefined && 'elicitationId' in request && request.elicitationId,
        ]);
        expect(ran('elicited')).toBe(1);
        expect(notes.length).toBeGreaterThan(0);
        await asked.client.close();
      },
    );

    for (const action of ['accept', 'decline', 'cancel', 'nothing'] as const)
      keeps(
        ['mcp.elicitation'],
        `an answer of a client is no vote: ${action} leaves the question open`,
        async () => {
          const asked = await connected(product(), action);
          const waiting = call(asked, `answered-${action}`);
          const approval = await pendingApproval(clientOf(product()), tool);
          await eventually(() => Promise.resolve(asked.requests[0]));
          // The answer has come when another request of the same session has.
          await asked.client.ping();
          const { body } = await clientOf(product()).get(
            `/api/uar/approvals/${String(approval['approval_id'])}`,
          );
          expect(body).toMatchObject({ status: 'pending', votes: [] });
          expect(ran(`answered-${action}`)).toBe(0);
          await decide(clientOf(product()), approval, 'reject');
          expect((await waiting).isError).toBe(true);
          expect(asked.complete).toHaveLength(1);
          await asked.client.close();
        },
      );

    keeps(['mcp.elicitation'], 'a client that declared forms alone is sent nowhere', async () => {
      const asked = await connected(product(), 'accept', { form: {} });
      const waiting = call(asked, 'not-declared');
      const approval = await pendingApproval(clientOf(product()), tool);
      await decide(clientOf(product()), approval, 'approve');
      expect((await waiting).isError).not.toBe(true);
      expect([asked.requests, asked.complete]).toEqual([[], []]);
      await asked.client.close();
    });
  },
);
