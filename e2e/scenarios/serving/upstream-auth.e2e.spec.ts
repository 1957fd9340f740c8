import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { OAuthUpstream, processesNaming, type Product } from '@uar/testkit';
import { afterAll, beforeAll, expect } from 'vitest';
import { clientOf, eventually, toolListed, user, type Body, type Client } from '../../client.js';
import { fileTexts } from '../../file-texts.js';
import { keeps } from '../../keeps.js';
import { createCounters, fixtureServer, onBothBuses } from '../../on-both-buses.js';

const counters = createCounters();
const upstreams = {
  inprocess: await OAuthUpstream.start(),
  nats: await OAuthUpstream.start(),
};
afterAll(async () => {
  await Promise.all(Object.values(upstreams).map((upstream) => upstream.stop()));
  counters.remove();
});

const servers = '/api/uar/mcp/servers';
const machine = { flow: 'client_credentials', client_id: 'machine', client_secret: '${MACHINE_SECRET}' };

onBothBuses(
  'upstreams behind OAuth',
  (bus) => {
    const behind = (auth: object, more = {}) => ({
      ...{ transport: 'streamable_http', url: upstreams[bus].url, trust_annotations: true },
      ...{ auth: { type: 'oauth', ...auth }, ...more },
    });
    return {
      env: { MACHINE_SECRET: 'secret-of-the-machine-client' },
      config: {
        mcp: {
          servers: {
            machine: behind(machine),
            notes: behind({}),
            own: behind({}, { placement: 'per_principal' }),
            child: fixtureServer({ COUNT_FILE: counters[bus].file }),
          },
        },
      },
    };
  },
  (product, bus) => {
    const upstream = upstreams[bus];
    let client: Client;
    let uma: Client;
    beforeAll(() => {
      client = clientOf(product());
      uma = clientOf(product(), user);
    });
    const textOf = async (who: Client, tool: string) => {
      const { body } = await who.execute(tool);
      return [String(body['outcome']), JSON.stringify(body['result'] ?? body['error'])] as const;
    };
    /** Acts about accounts, the oldest first, as their receipts say them. */
    const actions = async (): Promise<string[]> => {
      const { body } = await client.get('/api/uar/receipts?limit=1000');
      const receipts = (body['receipts'] ?? []) as unknown as Body[];
      return receipts
        .toSorted((one, other) => Number(one['seq']) - Number(other['seq']))
        .map(({ action }) => String(action))
        .filter((action) => /^server\.(dis)?connect/.test(action));
    };
    async function connect(
      who: Client,
      path: string,
    ): Promise<{ readonly page: Response; readonly back: URL }> {
      const begun = await who.request(`${servers}/${path}`, { body: {} });
      expect(begun.status, begun.text).toBe(200);
      const back = await upstream.visit(String(begun.body['authorization_url']));
      expect(back.href).toContain(`${product().gateway}/oauth/callback?`);
      return { page: await fetch(back), back };
    }

    keeps(['upstream.machine'], 'a client of its own is got tokens for and renewed once', async () => {
      await toolListed(client, 'machine__whoami');
      await upstream.forget();
      const before = (await upstream.tokenRequests()).length;
      const all = await Promise.all(Array.from({ length: 8 }, () => textOf(client, 'machine__whoami')));
      expect(all.map(([outcome]) => outcome)).toEqual(all.map(() => 'completed'));
      expect(all[0]?.[1]).toContain('machine');
      expect((await upstream.tokenRequests()).slice(before)).toEqual(['client_credentials 200']);
    });

    keeps(
      ['upstream.connect'],
      'a server waits for somebody who connects it, and is ready then',
      async () => {
        const status = async () => (await client.get('/api/uar/mcp/health')).text;
        expect(await status()).toContain('auth_required');
        expect((await uma.request(`${servers}/notes/connect`, { body: {} })).status).toBe(403);
        const { page, back } = await connect(client, 'notes/connect');
        expect([page.status, await page.text()]).toEqual([
          200,
          expect.stringContaining('notes is connected'),
        ]);
        expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
        await toolListed(client, 'notes__whoami');
        expect(await textOf(client, 'notes__whoami')).toEqual([
          'completed',
          expect.stringContaining('someone'),
        ]);
        expect(await actions()).toEqual(['server.connect notes']);
        expect((await fetch(back)).status).toBe(410);
        back.searchParams.set('state', 'of-nobody');
        expect((await fetch(back)).status).toBe(400);
      },
    );

    keeps(
      ['upstream.own'],
      'where everybody has their own account, a call says how to connect it',
      async () => {
        await connect(client, 'own/connect');
        await toolListed(client, 'own__whoami');
        const refused = (await uma.execute('own__whoami')).body;
        expect(refused).toMatchObject({ outcome: 'unavailable', effect: 'did_not_run' });
        expect(refused['error']?.['details']).toEqual({
          ...{ reason: 'auth_required', connect: `POST ${servers}/own/connect/own` },
        });
        await connect(uma, 'own/connect/own');
        expect((await textOf(uma, 'own__whoami'))[0]).toBe('completed');
        const forgotten = await uma.request(`${servers}/own/connection/own`, { method: 'DELETE' });
        expect(forgotten.body).toEqual({ forgotten: true, revoked: true });
        expect((await textOf(uma, 'own__whoami'))[0]).toBe('unavailable');
        expect((await actions()).slice(1)).toEqual([
          ...['server.connect own', 'server.connect_own own', 'server.disconnect_own own'],
        ]);
      },
    );

    keeps(
      ['upstream.issuer'],
      'another authorization server that the upstream names gets no secret, and the call says how to go on',
      async () => {
        await toolListed(client, 'machine__whoami');
        const other = await startIssuer();
        try {
          await upstream.name(other.url);
          await upstream.forget();
          expect(await textOf(client, 'machine__whoami')).toEqual(['unavailable', expect.any(String)]);
          await eventually(async () => {
            const { text } = await client.get('/api/uar/mcp/health');
            return (
              text.includes('set auth.issuer, or disconnect the server and connect it again') || undefined
            );
          });
          expect(other.asked.filter((line) => !line.startsWith('GET '))).toEqual([]);
          expect(other.asked.length).toBeGreaterThan(0);
        } finally {
          await upstream.name(upstream.issuer);
          other.close();
        }
        await client.request(`${servers}/machine/reconnect`, { body: {} });
        await toolListed(client, 'machine__whoami');
        expect((await textOf(client, 'machine__whoami'))[0]).toBe('completed');
      },
    );

    keeps(
      ['upstream.secrets'],
      'no token of a caller leaves the gateway, no other is written or said',
      async () => {
        await toolListed(client, 'child__count');
        expect((await client.execute('child__count', { id: 'x' })).body['outcome']).toBe('completed');
        const recorded = await upstream.recorded();
        const sent = recorded
          .filter(({ at }) => at === 'mcp')
          .map(({ headers }) => headers?.['authorization']);
        const used = [...new Set(sent.filter((value) => typeof value === 'string'))].map((it) => it.slice(7));
        expect(used.length).toBeGreaterThan(2);
        const receipts = await client.get('/api/uar/receipts?limit=500');
        const events = await eventsOf(product(), client);
        const children = processesNaming(counters[bus].file).map(({ pid }) =>
          readFileSync(`/proc/${pid}/environ`),
        );
        expect(children.length).toBeGreaterThan(0);
        const places = {
          ...{ upstream: JSON.stringify(recorded), output: product().output() },
          ...{ receipts: receipts.text, events, children: children.join('\n') },
          files: fileTexts(product().dataDir),
        };
        // Its signature alone would show a token that was cut or spelled in another way.
        const callers = [client, uma].map(({ token }) => token.split('.')[2] ?? token);
        for (const [place, text] of Object.entries(places)) {
          expect(text.length, place).toBeGreaterThan(0);
          for (const token of callers) expect(text.includes(token), `caller: ${place}`).toBe(false);
          if (place === 'upstream') continue;
          for (const token of [...used, 'secret-of-the-machine-client'])
            expect(text.includes(token), `upstream: ${place}`).toBe(false);
        }
      },
    );
  },
);

/** An authorization server with metadata that hears whatever it is asked. */
async function startIssuer() {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.setHeader('content-type', 'application/json').end(
      JSON.stringify({
        ...{ issuer: url, authorization_endpoint: `${url}/authorize`, token_endpoint: `${url}/token` },
        ...{ response_types_supported: ['code'], code_challenge_methods_supported: ['S256'] },
        ...{ access_token: 'theirs', token_type: 'Bearer' },
      }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, asked, close: () => server.close() };
}

/** What is told of now, and what was kept. */
async function eventsOf(product: Product, client: Client): Promise<string> {
  const response = await fetch(`${product.gateway}/api/uar/events`, {
    headers: { authorization: `Bearer ${client.token}`, 'last-event-id': '0' },
  });
  const reader = response.body?.getReader();
  const text = new TextDecoder();
  let read = '';
  return await eventually(async () => {
    const piece = await reader?.read();
    read += text.decode(piece?.value, { stream: true });
    if (!read.includes('call.ended')) return undefined;
    await reader?.cancel();
    return read;
  });
}
