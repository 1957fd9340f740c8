import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig, type LoadOptions } from '../index.js';
import { bad } from './bad-input.fixture.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'uar-config-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function problems(yaml: string, options: Partial<LoadOptions> = {}): string[] {
  const file = join(folder, 'uar.yaml');
  writeFileSync(file, yaml);
  const loaded = loadConfig({ env: {}, cwd: folder, file, ...options });
  if (loaded.kind === 'ok') return [];
  return loaded.problems.map(({ path, message }) => `${path}: ${message}`.replaceAll(`${folder}/`, ''));
}

describe('a bad file', () => {
  it.each(bad)('names %s', (_what, yaml, ...expected) => {
    expect(problems(yaml)).toEqual(expected);
  });

  it('is not read past broken YAML, but the environment still is', () => {
    const found = problems('server: { port: 1\nlog_level: [', { env: { UAR_PORT: 'abc' } });
    expect(found.at(-1)).toBe('UAR_PORT: is no number');
    expect(found[0]).toMatch(/^uar\.yaml:\d+: /);
  });

  it('is reported with everything that is wrong, wherever it was written', () => {
    const yaml = [
      'profile: server-full',
      'server: { prot: 1, port: no, allowed_origins: [x] }',
      'security: { jwks_url: nonsense, jwt_secret: short }',
      'mcp: { servers: { Bad: { transport: stdio, command: run } } }',
    ].join('\n');
    const paths = problems(yaml, { env: { UAR_LOG_LEVEL: 'loud' } }).map((line) => line.split(': ')[0]);
    expect(new Set(paths)).toEqual(
      new Set([
        'server.prot',
        'server.port',
        'server.allowed_origins.0',
        'security.jwks_url',
        'security.jwt_secret',
        'mcp.servers.Bad',
        'log_level',
      ]),
    );
  });

  it('never repeats a secret in what it says', () => {
    const found = problems('security: { jwt_secret: hunter2, jwt_issuer: [hunter2] }\nhunter: hunter2');
    expect(found.length).toBe(3);
    expect(found.join('\n')).not.toContain('hunter2');
  });

  it('ends for an alias bomb', () => {
    const row = (name: string, below: string) => `${name}: &${name} [${`*${below}, `.repeat(9)}*${below}]`;
    const yaml = ['a: &a [x]', row('b', 'a'), row('c', 'b'), row('d', 'c'), row('e', 'd')].join('\n');
    expect(problems(yaml).join()).toContain('alias');
  });

  it('writes nothing', () => {
    problems('profile: nonsense');
    const loaded = loadConfig({ env: {}, cwd: folder, file: join(folder, '.uar/keys/jwt.secret') });
    expect(loaded).toMatchObject({ kind: 'bad', problems: [{ message: 'the file does not exist' }] });
  });
});

describe('a bad environment', () => {
  const load = (env: Record<string, string>) => loadConfig({ env, cwd: folder, file: null });

  it('names a configuration file that does not exist', () => {
    const loaded = loadConfig({ env: { UAR_CONFIG: 'gone.yaml' }, cwd: folder });
    expect(loaded).toEqual({
      kind: 'bad',
      problems: [{ path: join(folder, 'gone.yaml'), message: 'the file does not exist' }],
    });
  });

  it.each([
    ['UAR_PORT', 'abc', 'UAR_PORT', 'is no number'],
    ['UAR_PORT', '-1', 'UAR_PORT', 'is no number'],
    ['UAR_PORT', '70000', 'server.port', 'expected number to be <=65535 (UAR_PORT)'],
    ['UAR_PORT', '1.5', 'server.port', 'expected int, received number (UAR_PORT)'],
    [
      'UAR_PROFILE',
      'big',
      'profile',
      'expected one of "minimal"|"server-full"|"embedded-mobile" (UAR_PROFILE)',
    ],
    ['UAR_JWT_SECRET', 'short', 'security.jwt_secret', 'needs at least 32 bytes (UAR_JWT_SECRET)'],
  ])('refuses %s=%s', (name, value, ...problem) => {
    const [path, message] = problem;
    expect(load({ [name]: value })).toEqual({ kind: 'bad', problems: [{ path, message }] });
  });

  it('explains a Kubernetes service link', () => {
    const loaded = load({ UAR_PORT: 'tcp://10.0.0.1:1906' });
    expect(loaded).toMatchObject({
      problems: [{ path: 'UAR_PORT', message: expect.stringContaining('enableServiceLinks') }],
    });
  });

  it('warns of a variable that looks like a slip, and of no other', () => {
    const loaded = load({
      UAR_PROT: '1',
      UAR_DATADIR: 'x',
      uar_port: '1',
      UAR_SOMETHING_ELSE: '1',
      UAR_GATEWAY_SERVICE_HOST: 'h',
    });
    if (loaded.kind === 'bad') throw new Error('expected a configuration');
    expect(loaded.warnings.map(({ path, message }) => `${path} ${message}`)).toEqual([
      'UAR_PROT is not read; did you mean UAR_PORT?',
      'UAR_DATADIR is not read; did you mean UAR_DATA_DIR?',
      'uar_port is not read; did you mean UAR_PORT?',
    ]);
  });
});
