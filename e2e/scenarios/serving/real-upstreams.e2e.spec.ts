import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { type Product, repositoryDir, startProduct } from '@uar/testkit';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { z } from 'zod';
import { clientOf, eventually } from '../../client.js';
import { keeps } from '../../keeps.js';
import { hasPeers, peerProgram } from '../../peers.js';

const AsSent = z.looseObject({});
type Sent = z.output<typeof AsSent>;

interface Upstream {
  readonly program: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** What gives the same each time, in an order that does: tool and arguments. */
  readonly calls: readonly (readonly [string, Readonly<Record<string, unknown>>])[];
}

const official = (name: string): string => peerProgram(`@modelcontextprotocol/server-${name}`);
const installed = (name: string): string =>
  join(repositoryDir, 'node_modules/@modelcontextprotocol', `server-${name}`, 'dist/index.js');

/** `state`: a folder for what an upstream keeps; `files`: one that all read. */
function upstreams(state: string, files: string): Readonly<Record<string, Upstream>> {
  const ada = { name: 'Ada', entityType: 'person', observations: ['wrote programs'] };
  const path = join(files, 'note.txt');
  return {
    everything: {
      program: installed('everything'),
      calls: [
        ['echo', { message: 'grüße 👋' }],
        ['get-sum', { a: 2, b: 40 }],
        ['get-tiny-image', {}],
        ['get-annotated-message', { messageType: 'error', includeImage: true }],
        ['get-structured-content', { location: 'New York' }],
        ['get-resource-links', { count: 3 }],
      ],
    },
    files: {
      program: installed('filesystem'),
      args: [files],
      calls: [
        ['read_text_file', { path }],
        ['list_directory', { path: files }],
        ['get_file_info', { path }],
        ['read_text_file', { path: '/etc/hostname' }],
        ['list_allowed_directories', {}],
      ],
    },
    memory: {
      program: official('memory'),
      env: { MEMORY_FILE_PATH: join(state, 'memory.jsonl') },
      calls: [
        ['create_entities', { entities: [ada] }],
        ['search_nodes', { query: 'ada' }],
        ['read_graph', {}],
      ],
    },
    thinking: {
      program: official('sequential-thinking'),
      calls: [
        [
          'sequentialthinking',
          { thought: 'first', nextThoughtNeeded: true, thoughtNumber: 1, totalThoughts: 2 },
        ],
      ],
    },
    git: {
      program: peerProgram('@cyanheads/git-mcp-server'),
      env: { MCP_TRANSPORT_TYPE: 'stdio', LOGS_DIR: join(state, 'logs') },
      calls: [
        ['git_status', { path: files }],
        ['git_show', { path: files, object: 'HEAD' }],
        ['git_branch', { path: files, mode: 'list' }],
      ],
    },
    time: {
      program: peerProgram('time-mcp'),
      calls: [
        ['days_in_month', { date: '2024-02-10' }],
        ['get_week_year', { date: '2026-11-30' }],
        [
          'convert_time',
          { sourceTimezone: 'Europe/Berlin', targetTimezone: 'Asia/Tokyo', time: '2026-01-02 03:04:05' },
        ],
      ],
    },
    hello: {
      program: peerProgram('mcp-hello-world'),
      calls: [
        ['echo', { message: 'hello' }],
        ['add', { a: 1.5, b: 2 }],
      ],
    },
    libsql: {
      program: peerProgram('mcp-memory-libsql'),
      env: { LIBSQL_URL: `file:${join(state, 'memory.db')}` },
      calls: [
        ['create_entities', { entities: [ada] }],
        ['search_nodes', { query: 'nobody' }],
        ['delete_entity', { name: 'nobody' }],
      ],
    },
    // Whatever its tools do goes out to the network.
    github: { program: official('github'), calls: [] },
    // What it measures is never the same twice.
    monitor: { program: official('system-monitor'), args: ['--stdio'], calls: [] },
  };
}

async function connected(transport: Transport): Promise<Client> {
  const client = new Client({ name: 'e2e', version: '1.0.0' });
  await client.connect(transport);
  return client;
}

async function listOf(client: Client): Promise<Sent[]> {
  const tools: Sent[] = [];
  for (let cursor: unknown, more = true; more;) {
    const params = cursor === undefined ? {} : { cursor };
    const page = await client.request({ method: 'tools/list', params } as never, AsSent);
    tools.push(...z.array(AsSent).parse(page['tools']));
    cursor = page['nextCursor'];
    more = cursor !== undefined;
  }
  return tools;
}

/** Of a result: ours, and what a server of both eras says of itself without a session. */
const notOfTheTool = ['io.uar/call', 'io.modelcontextprotocol/serverInfo'];

/** What came of a call: a result, or an error of the protocol. */
async function answerOf(client: Client, name: string, args: unknown): Promise<unknown> {
  const call = { method: 'tools/call', params: { name, arguments: args } };
  return client.request(call as never, AsSent).then(
    ({ _meta, resultType, ...result }) => {
      expect([undefined, 'complete']).toContain(resultType);
      const meta = Object.entries(AsSent.parse(_meta ?? {})).filter(([key]) => !notOfTheTool.includes(key));
      return { ...result, ...(meta.length > 0 && { _meta: Object.fromEntries(meta) }) };
    },
    (error: unknown) => z.object({ code: z.number(), message: z.string() }).parse(error),
  );
}

describe.runIf(hasPeers)('ten upstreams of others at once', () => {
  let folder: string;
  let product: Product;
  let gateway: Client;
  const direct = new Map<string, Client>();
  const names = Object.keys(hasPeers ? upstreams('', '') : {});
  const files = () => join(folder, 'files');
  const through = () => upstreams(join(folder, 'through'), files());

  beforeAll(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'uar-upstreams-')));
    for (const each of ['files', 'through', 'direct']) mkdirSync(join(folder, each));
    writeFileSync(join(files(), 'note.txt'), 'remember\n');
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], {
        cwd: files(),
        stdio: 'ignore',
      });
    git('init', '-b', 'main');
    git('add', '.');
    git('commit', '-m', 'one note');
    const servers = Object.entries(through()).map(([name, { program, args = [], env = {} }]) => [
      name,
      {
        transport: 'stdio',
        command: process.execPath,
        args: [program, ...args],
        env,
        tools: { overrides: { '*': { read_only: true, open_world: false } } },
      },
    ]);
    product = await startProduct({
      bus: 'inprocess',
      config: { mcp: { servers: Object.fromEntries(servers) as Record<string, never> } },
    });
    await eventually(async () => {
      const { body } = await clientOf(product).get('/api/uar/mcp/health');
      return Number(body['connected']) === names.length ? true : undefined;
    }, 60_000);
    gateway = await connected(
      new StreamableHTTPClientTransport(new URL(`${product.gateway}/mcp`), {
        requestInit: { headers: { authorization: `Bearer ${product.token({ roles: ['admin', 'user'] })}` } },
      }),
    );
    for (const [name, upstream] of Object.entries(upstreams(join(folder, 'direct'), files())))
      direct.set(
        name,
        await connected(
          new StdioClientTransport({
            command: process.execPath,
            args: [upstream.program, ...(upstream.args ?? [])],
            env: { PATH: process.env['PATH'] ?? '', HOME: folder, ...upstream.env },
            stderr: 'ignore',
          }),
        ),
      );
  });
  afterAll(async () => {
    await product.stop();
    await Promise.all([...direct.values()].map((client) => client.close()));
    rmSync(folder, { recursive: true });
  });

  const directly = (name: string): Client => {
    const client = direct.get(name);
    if (client === undefined) throw new Error(`${name} is not connected`);
    return client;
  };

  keeps(['servers.real'], 'each tool is listed as its upstream lists it, under a name of ours', async () => {
    const listed = await listOf(gateway);
    const expected: Sent[] = [];
    for (const name of names)
      for (const tool of await listOf(directly(name)))
        expected.push({ ...tool, name: `${name}__${String(tool['name'])}` });
    const byName = (a: Sent, b: Sent): number => (String(a['name']) < String(b['name']) ? -1 : 1);
    expect(listed.sort(byName)).toEqual(expected.sort(byName));
    expect(expected.length).toBeGreaterThan(100);
  });

  for (const name of names.filter((each) => upstreams('', '')[each]?.calls.length !== 0))
    keeps(['servers.real'], `the calls of ${name} are answered as it answers them`, async () => {
      for (const [tool, args] of through()[name]?.calls ?? []) {
        const own = await answerOf(directly(name), tool, args);
        expect(await answerOf(gateway, `${name}__${tool}`, args), tool).toEqual(own);
      }
    });
});
