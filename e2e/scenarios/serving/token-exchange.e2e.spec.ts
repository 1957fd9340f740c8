import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client as McpClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { OAuthUpstream } from '@uar/testkit';
import { afterAll, beforeAll, expect } from 'vitest';
import { clientOf, toolListed, user, type Client } from '../../client.js';
import { fileTexts } from '../../file-texts.js';
import { keeps } from '../../keeps.js';
import { onBothBuses } from '../../on-both-buses.js';

const upstreams = {
  inprocess: await OAuthUpstream.start(),
  nats: await OAuthUpstream.start(),
};
afterAll(async () => {
  await Promise.all(Object.values(upstreams).map((upstream) => upstream.stop()));
});

onBothBuses(
  'an upstream where each caller is themselves',
  (bus) => ({
    env: { EXCHANGE_SECRET: 'secret-of-the-exchanging-client' },
    config: {
      mcp: {
        servers: {
          each: {
            ...{ transport: 'streamable_http', url: upstreams[bus].url, placement: 'per_principal' },
            trust_annotations: true,
            auth: {
              ...{ type: 'oauth', flow: 'token_exchange', client_id: 'exchanger' },
              client_secret: '${EXCHANGE_SECRET}',
              token_endpoint: `${upstreams[bus].issuer}/token`,
            },
          },
        },
      },
    },
  }),
  (product, bus) => {
    const upstream = upstreams[bus];
    let ada: Client;
    let uma: Client;
    beforeAll(async () => {
      await upstream.trust(readFileSync(join(product().dataDir, 'keys', 'jwt.secret'), 'utf8').trim());
      ada = clientOf(product());
      uma = clientOf(product(), user);
      await toolListed(ada, 'each__whoami');
    });
    const nameSaid = async (who: Client): Promise<string> => {
      const { body } = await who.execute('each__whoami');
      return String(body['result']?.['content']?.[0]?.['text']);
    };
    const nameSaidThrough = async (path: string, tool: string): Promise<unknown> => {
      const client = new McpClient({ name: 'e2e', version: '1.0.0' });
      const requestInit = { headers: { authorization: `Bearer ${uma.token}` } };
      const url = new URL(`${product().gateway}${path}`);
      await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
      const { content } = await client.callTool({ name: tool, arguments: {} });
      await client.close();
      return content;
    };

    keeps(['upstream.exchange'], 'each acts as themselves, over HTTP and MCP', async () => {
      expect(await Promise.all([ada, uma, ada, uma].map(nameSaid))).toEqual(['ada', 'uma', 'ada', 'uma']);
      const said = [{ type: 'text', text: 'uma' }];
      expect(await nameSaidThrough('/mcp', 'each__whoami')).toEqual(said);
      expect(await nameSaidThrough('/mcp/servers/each', 'whoami')).toEqual(said);
    });

    keeps(['upstream.exchange'], 'whom nobody acts for is told so, and nothing ran', async () => {
      const { body } = await clientOf(product(), { sub: 'stranger', roles: ['user'] }).execute(
        'each__whoami',
      );
      expect(body).toMatchObject({ outcome: 'unavailable', effect: 'did_not_run' });
      expect(body['error']?.['details']).toMatchObject({ reason: 'exchange_refused' });
      expect(await nameSaid(uma)).toBe('uma');
    });

    keeps(
      ['upstream.exchange', 'upstream.secrets'],
      'a token of a caller goes to the configured token endpoint and nowhere else',
      async () => {
        const recorded = await upstream.recorded();
        const receipts = await ada.get('/api/uar/receipts?limit=500');
        const texts = {
          mcp: JSON.stringify(recorded.filter(({ at }) => at !== 'token')),
          ...{ receipts: receipts.text, output: product().output() },
          files: fileTexts(product().dataDir),
        };
        expect(JSON.stringify(recorded.filter(({ at }) => at === 'token'))).toContain(uma.token);
        const signature = uma.token.split('.')[2] ?? uma.token;
        for (const [place, text] of Object.entries(texts)) {
          expect(text.length, place).toBeGreaterThan(0);
          expect(text.includes(signature), place).toBe(false);
        }
      },
    );
  },
);
