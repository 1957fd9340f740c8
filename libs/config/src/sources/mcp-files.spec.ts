import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readMcpFiles, UarConfig } from '../index.js';
import { loadConfig } from '../load.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'uar-mcp-files-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function read(text: string, taken: UarConfig = UarConfig.parse({})) {
  const file = join(folder, 'mcp.json');
  writeFileSync(file, text);
  const result = readMcpFiles({ files: [file], taken });
  const lines = (list: typeof result.problems) =>
    list.map(({ path, message }) => `${path}: ${message}`.replaceAll(`${folder}/`, ''));
  return {
    servers: result.servers,
    origins: result.origins,
    problems: lines(result.problems),
    warnings: lines(result.warnings),
    file,
  };
}

describe('a file of servers', () => {
  it('is read in the shape of claude_desktop_config.json, comments and a trailing comma included', () => {
    const { servers, origins, problems, file } = read(`{
      // what the desktop client runs
      "mcpServers": {
        "git": { "command": "git-mcp", "args": ["--repo", "."], "env": { "TOKEN": "\${env:GIT_TOKEN}" } },
        "docs": { "type": "http", "url": "https://\${env:HOST:-docs.example}/mcp", "headers": { "X-A": "\${A}" } },
        "more": { "url": "https://more.example/mcp", "disabled": true },
      },
    }`);
    expect(problems).toEqual([]);
    expect(servers['git']).toMatchObject({
      transport: 'stdio',
      command: 'git-mcp',
      args: ['--repo', '.'],
      env: { TOKEN: '${GIT_TOKEN}' },
    });
    expect(servers['docs']).toMatchObject({
      transport: 'streamable_http',
      url: 'https://${HOST:-docs.example}/mcp',
      headers: { 'X-A': '${A}' },
    });
    expect(servers['more']).toMatchObject({ transport: 'streamable_http', enabled: false });
    expect([...origins.keys()]).toEqual(['git', 'docs', 'more']);
    expect(new Set(origins.values())).toEqual(new Set([file]));
  });

  it.each(['stdio', 'http', 'streamable-http', 'streamable_http', 'streamableHttp'])(
    'knows transport %s',
    (transport) => {
      const entry =
        transport === 'stdio' ? { transport, command: 'run' } : { transport, url: 'http://127.0.0.1/mcp' };
      const { servers, problems } = read(JSON.stringify({ servers: { a: entry } }));
      expect(problems).toEqual([]);
      expect(servers['a']?.transport).toBe(transport === 'stdio' ? 'stdio' : 'streamable_http');
    },
  );

  it('reports and skips what cannot be had, and keeps the others', () => {
    const { servers, problems, warnings } = read(`{ "servers": {
      "old": { "type": "sse", "url": "https://old.example/sse" },
      "asks": { "command": "run", "env": { "KEY": "\${input:key}" } },
      "odd": { "type": "carrier-pigeon" },
      "fine": { "command": "run", "autoApprove": ["x"] }
    } }`);
    expect(problems).toEqual([]);
    expect(Object.keys(servers)).toEqual(['fine']);
    expect(warnings).toEqual([
      "mcp.json: old: skipped: transport sse is not supported; use the server's streamable HTTP endpoint",
      'mcp.json: asks: skipped: ${input:...} cannot be asked for here',
      'mcp.json: odd: skipped: transport "carrier-pigeon" is not known',
      'mcp.json: fine: member autoApprove is not used',
    ]);
  });

  it('takes a default value for what it is, not for a question to an editor', () => {
    const { servers } = read('{ "servers": { "a": { "command": "run", "args": ["${A:-b}"] } } }');
    expect(servers['a']?.args).toEqual(['${A:-b}']);
  });

  it('cleans names, says so, and refuses those that then collide', () => {
    const { servers, problems, warnings } = read(`{ "servers": {
      "GitHub Tools": { "command": "a" }, "github-tools": { "command": "b" }, "Native": { "command": "c" }, "...": { "command": "d" }
    } }`);
    expect(Object.keys(servers)).toEqual(['github-tools']);
    expect(servers['github-tools']?.command).toBe('a');
    expect(warnings).toEqual(['mcp.json: GitHub Tools: is named github-tools here']);
    expect(problems).toEqual([
      'mcp.json: github-tools: the name github-tools is taken by mcp.json: GitHub Tools',
      'mcp.json: Native: the name is reserved',
      'mcp.json: ...: a server name is 1-32 of a-z, 0-9 and - and starts with a letter or digit',
    ]);
  });

  it('refuses a name that the configuration itself has', () => {
    const taken = UarConfig.parse({ mcp: { servers: { git: { transport: 'stdio', command: 'x' } } } });
    expect(read('{ "servers": { "Git": { "command": "a" } } }', taken).problems).toEqual([
      'mcp.json: Git: the name git is taken by mcp.servers.git',
    ]);
  });

  it.each([
    ['{ "servers": { "a": 1 } }', 'mcp.json: a: is no object'],
    [
      '{ "servers": { "a": { "command": "x", "args": "y" } } }',
      'mcp.json: a: args: Invalid input: expected array, received string',
    ],
    ['{ "servers": { "a": { "type": "stdio" } } }', 'mcp.json: a: command: transport stdio needs a command'],
    ['{ "servers": [] }', 'mcp.json: servers is no mapping of servers'],
    ['{}', 'mcp.json: has neither mcpServers nor servers'],
    ['[]', 'mcp.json: the file holds no JSON object'],
    ['{\n "servers": { "a": { "command": "x" },\n "a": { "command": "y" } } }', 'mcp.json:3: a stands twice'],
    ['{\n "servers": \n}', 'mcp.json:3: ValueExpected'],
  ])('refuses %s', (text, expected) => {
    expect(read(text).problems).toContain(expected);
  });
});

describe('the default file', () => {
  const text = '{ "mcpServers": { "time": { "command": "time-mcp" } } }';

  it('may be absent, and is read where it is present', () => {
    const load = () => loadConfig({ env: {}, cwd: folder, file: null });
    expect(load()).toMatchObject({ kind: 'ok', config: { mcp: { servers: {} } } });
    writeFileSync(join(folder, 'mcp.json'), text);
    const loaded = load();
    expect(loaded).toMatchObject({ config: { mcp: { servers: { time: { command: 'time-mcp' } } } } });
    expect(loaded.kind === 'ok' && loaded.serverOrigins.get('time')).toBe(join(folder, 'mcp.json'));
  });

  it('is not read when the list of files is empty', () => {
    writeFileSync(join(folder, 'mcp.json'), text);
    const loaded = loadConfig({ env: {}, cwd: folder, file: null, overrides: { mcp: { config_files: [] } } });
    expect(loaded).toMatchObject({ kind: 'ok', config: { mcp: { servers: {} } } });
  });
});
