import { beforeAll, expect } from 'vitest';
import { clientOf, toolListed } from '../../client.js';
import { keeps } from '../../keeps.js';
import { runCli } from '../../cli.js';
import { fixtureServer, onBothBuses } from '../../on-both-buses.js';
import { editLedger } from '../../ledger-store.js';

onBothBuses(
  'receipts',
  () => ({ config: { mcp: { servers: { fix: fixtureServer() } } } }),
  (product, bus) => {
    beforeAll(async () => {
      const client = clientOf(product());
      await toolListed(client, 'fix__count');
      for (let call = 0; call < 5; call += 1)
        await client.execute('fix__count', { id: 'very-private-argument' });
    });

    keeps(['receipts.verify'], 'the chain verifies over HTTP and on the command line', async () => {
      const { status, body } = await clientOf(product()).get('/api/uar/receipts/verify');
      expect(status).toBe(200);
      expect(body).toMatchObject({ ok: true, head: expect.stringMatching(/^sha256:/) });
      expect(Number(body['length'])).toBeGreaterThanOrEqual(5);
      const cli = await runCli(product(), ['receipts', 'verify', '--json']);
      expect(cli.code).toBe(0);
      expect(JSON.parse(cli.stdout)).toMatchObject({ ok: true });
    });

    keeps(['receipts.no-content'], 'receipts are chained and hold no arguments', async () => {
      const { text, body } = await clientOf(product()).get('/api/uar/receipts?tool=fix__count&limit=100');
      const receipts = body['receipts'] as unknown as {
        seq: number;
        hash: string;
        arguments_digest: string;
      }[];
      expect(receipts.length).toBeGreaterThanOrEqual(5);
      expect(receipts[0]?.arguments_digest).toMatch(/^sha256:/);
      expect(text).not.toContain('very-private-argument');
      const one = await clientOf(product()).get(`/api/uar/receipts/${receipts[0]?.seq ?? 0}`);
      expect(one.body['hash']).toBe(receipts[0]?.hash);
      const exported = await clientOf(product()).get('/api/uar/receipts/export');
      expect(exported.text.trim().split('\n').length).toBeGreaterThanOrEqual(5);
      expect(product().output()).not.toContain('very-private-argument');
    });

    keeps(
      ['receipts.verify'],
      'a changed byte or a dropped last receipt makes verification fail',
      async () => {
        await product().stop({ keepData: true });
        const verify = (): Promise<number> =>
          runCli(product(), ['receipts', 'verify']).then(({ code }) => code);
        expect(await verify()).toBe(0);
        const undoByte = await editLedger(product(), 'change-a-byte');
        expect(await verify()).toBe(1);
        await undoByte();
        expect(await verify()).toBe(0);
        const undoDrop = await editLedger(product(), 'drop-the-last');
        expect(await verify()).toBe(1);
        await undoDrop();
        expect(await verify(), bus).toBe(0);
      },
    );
  },
);
