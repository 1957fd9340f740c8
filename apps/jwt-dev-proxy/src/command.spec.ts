import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCommand, type CommandEnd } from './command.js';

let folder: string;
let said: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'uar-proxy-'));
  said = [];
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function run(args: readonly string[], env: Record<string, string> = {}): Promise<CommandEnd> {
  return runCommand({ args, env, cwd: folder, say: (line) => said.push(line) });
}

function given(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

describe('uar-jwt-proxy', () => {
  it('starts from a configuration file, with its port as upstream, and warns', async () => {
    const file = given(
      'uar.yaml',
      'server: { port: 4711 }\nsecurity: { jwt_secret: abcdefghijklmnopqrstuvwxyz0123456789 }\n',
    );
    const end = await run(['--listen', '127.0.0.1:0', '--config', file]);
    if (end.kind !== 'running') throw new Error(said.join('\n'));
    await end.proxy.close();
    expect(end.proxy.upstream).toBe('127.0.0.1:4711');
    expect(said.join('\n')).toContain('DEVELOPMENT ONLY');
    expect(said.join('\n')).not.toContain('abcdefghij');
  });

  it('takes flags over variables, and makes the secret that the gateway will read', async () => {
    given('uar.yaml', 'profile: minimal\n');
    const env = {
      UAR_PROXY_LISTEN: '127.0.0.1:0',
      UAR_PROXY_UPSTREAM: '127.0.0.1:1',
      UAR_DATA_DIR: join(folder, 'd'),
    };
    const end = await run(['--upstream', 'localhost:2'], env);
    if (end.kind !== 'running') throw new Error(said.join('\n'));
    await end.proxy.close();
    expect(end.proxy.upstream).toMatch(/:2$/);
  });

  it('ends with 2 and a clear text for what it refuses', async () => {
    const full = given(
      'full.yaml',
      'profile: server-full\nsecurity: { jwt_secret: abcdefghijklmnopqrstuvwxyz0123456789, allow_shared_secret: true }\n',
    );
    const cases: readonly [readonly string[], string][] = [
      [['--config', join(folder, 'missing.yaml')], 'missing.yaml'],
      [['--config', full, '--listen', '127.0.0.1:0'], 'server-full'],
      [['--config', given('a.yaml', ''), '--listen', '0.0.0.0:0'], 'loopback'],
      [['--config', given('b.yaml', ''), '--ttl-secs', '301', '--listen', '127.0.0.1:0'], '--ttl-secs'],
      [['--unknown'], 'unknown option'],
      [['argument'], 'too many arguments'],
    ];
    for (const [args, text] of cases) {
      said = [];
      expect(await run(args, { UAR_DATA_DIR: join(folder, 'd') })).toEqual({ kind: 'exit', code: 2 });
      expect(said.join('\n')).toContain(text);
    }
  });

  it('explains itself', async () => {
    expect(await run(['--help'])).toEqual({ kind: 'exit', code: 0 });
    expect(said.join('\n')).toMatch(/--listen[^]*--ttl-secs/);
    expect(said.join('\n')).toContain('Never a production gateway');
  });
});
