import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { type Product, startProduct } from '@uar/testkit';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { clientOf, toolListed } from '../../client.js';
import { keeps } from '../../keeps.js';
import { buses, fixtureServer } from '../../on-both-buses.js';
import { callThrough, hasPeers, peerProgram, runNode } from '../../peers.js';

const tool = 'fix__count';
const counted = (id: string) => ({ type: 'text', text: `counted ${id}` });

describe.runIf(hasPeers).each(buses)('clients of others (%s)', (bus) => {
  let product: Product;
  let home: string;
  const door = () => ({ url: `${product.gateway}/mcp`, token: product.token({ roles: ['admin', 'user'] }) });
  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'uar-client-home-'));
    product = await startProduct({ bus, config: { mcp: { servers: { fix: fixtureServer({}) } } } });
    await toolListed(clientOf(product), tool);
  });
  afterAll(async () => {
    await product.stop();
    rmSync(home, { recursive: true });
  });

  for (const library of ['ai-sdk', 'langchain', 'openai-agents'] as const)
    keeps(['mcp.real-clients'], `${library} lists and calls with a bearer`, async () => {
      const told = await callThrough(library, { ...door(), tool, arguments: { id: library } });
      expect(told.tools).toContain(tool);
      expect([told.result].flat()[0]).toMatchObject(
        library === 'ai-sdk' ? { content: [counted(library)] } : counted(library),
      );
    });

  keeps(['mcp.real-clients'], 'MCP inspector on its command line lists and calls with a bearer', async () => {
    const { url, token } = door();
    const inspector = peerProgram('@modelcontextprotocol/inspector');
    const ask = (...args: string[]) =>
      runNode([
        inspector,
        '--cli',
        url,
        '--transport',
        'http',
        '--header',
        `Authorization: Bearer ${token}`,
        ...args,
      ]);
    const { tools } = JSON.parse(await ask('--method', 'tools/list')) as { tools: { name: string }[] };
    expect(tools.map(({ name }) => name)).toContain(tool);
    const called = await ask('--method', 'tools/call', '--tool-name', tool, '--tool-arg', 'id=inspector');
    expect(JSON.parse(called)).toMatchObject({ content: [counted('inspector')] });
  });

  keeps(['mcp.real-clients'], 'mcporter lists and calls with a bearer', async () => {
    const { url, token } = door();
    const config = join(home, 'mcporter.json');
    const uar = { url, headers: { Authorization: `Bearer ${token}` } };
    writeFileSync(config, JSON.stringify({ mcpServers: { uar } }));
    const ask = (...args: string[]) =>
      runNode([peerProgram('mcporter'), '--config', config, ...args], { HOME: home });
    expect(await ask('list', 'uar', '--json')).toContain(`"${tool}"`);
    const called = await ask('call', `uar.${tool}`, 'id=mcporter', '--output', 'json');
    expect(JSON.parse(called)).toMatchObject({ content: [counted('mcporter')] });
  });

  keeps(['mcp.real-clients'], 'mcp-remote lists and calls with a bearer for a client on stdio', async () => {
    const { url, token } = door();
    const remote = peerProgram('mcp-remote', 'mcp-remote');
    const header = `Authorization:Bearer ${token}`;
    const client = new Client({ name: 'e2e', version: '1.0.0' });
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [remote, url, '--header', header, '--allow-http', '--transport', 'http-only'],
        env: { ...process.env, HOME: home } as Record<string, string>,
        stderr: 'ignore',
      }),
    );
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain(tool);
    const called = await client.callTool({ name: tool, arguments: { id: 'remote' } });
    expect(called.content).toEqual([counted('remote')]);
    await client.close();
  });
});
