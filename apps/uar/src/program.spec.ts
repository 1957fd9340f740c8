import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { uarIn, type CommandEnd } from './command-line.fixture.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'uar-cli-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const uar = (argv: readonly string[], env: Record<string, string> = {}): Promise<CommandEnd> =>
  uarIn(folder, argv, env);

describe('the command line', () => {
  it.each([
    [['--help'], 0],
    [['up', '--help'], 0],
    [[], 2],
    [['fly'], 2],
    [['call'], 2],
    [['up', '--port', 'many'], 2],
    [['tools', '--colour'], 2],
    [['call', 'a__b', '{'], 2],
    [['call', 'a__b', '[1]'], 2],
    [['servers', 'add', 'a'], 2],
    [['tools'], 3],
    [['approvals'], 3],
    [['receipts', 'verify', '--file', 'absent.ndjson'], 1],
    [['receipts', 'verify'], 1],
  ])('ends %j with exit code %i', async (argv, code) => {
    const result = await uar(argv);
    expect(result.code).toBe(code);
    expect(result.out + result.err).not.toBe('');
  });

  it('does not pretend commands that there are not', async () => {
    for (const command of ['import'])
      for (const argv of [[command], [command, '--help']]) expect((await uar(argv)).code).toBe(2);
  });

  it('says that nobody listens, and where', async () => {
    const result = await uar(['tools'], { UAR_URL: 'http://127.0.0.1:1' });
    expect(result).toMatchObject({ code: 3, err: expect.stringContaining('http://127.0.0.1:1') });
  });
});

describe('uar config', () => {
  it('lists every problem of the named file', async () => {
    writeFileSync(join(folder, 'bad.yaml'), 'prof1le: x\nserver: { port: no }\n');
    const text = await uar(['config', 'check', 'bad.yaml']);
    expect(text).toMatchObject({ code: 1, out: '' });
    expect(text.err).toContain('did you mean profile?');
    expect(text.err).toContain('server.port');
    const json = await uar(['config', 'check', 'bad.yaml', '--json']);
    expect(JSON.parse(json.out)).toMatchObject({ ok: false, problems: [{}, {}] });
  });

  it('names policies that are not there beside the rest, and prints what else holds', async () => {
    writeFileSync(join(folder, 'bad.yaml'), 'server: { port: no }\ngovernance: { policies_dir: gone }\n');
    const { code, err } = await uar(['config', 'check', 'bad.yaml']);
    expect([code, err.match(/server\.port|governance\.policies_dir|gone/g)]).toEqual([
      1,
      ['server.port', 'governance.policies_dir', 'gone'],
    ]);
    expect((await uar(['config', 'print'], { UAR_POLICIES_DIR: 'gone' })).code).toBe(0);
  });

  it('prints what holds, without a secret, and creates nothing', async () => {
    const secret = 'planted-secret-of-more-than-32-bytes';
    const result = await uar(['config', 'print'], { UAR_JWT_SECRET: secret, UAR_PORT: '7' });
    expect(result.code).toBe(0);
    expect(result.out).toContain('port: 7');
    expect(result.out).not.toContain('planted');
    await uar(['config', 'check']);
    expect(() => readFileSync(join(folder, '.uar/keys/jwt.secret'))).toThrow();
  });
});

describe('uar token', () => {
  it('mints a token with the secret of the data folder', async () => {
    const result = await uar(['token', '--sub', 'ada', '--roles', 'user', '--ttl-secs', '60']);
    const claims: unknown = JSON.parse(Buffer.from(result.out.split('.')[1] ?? '', 'base64url').toString());
    expect(claims).toMatchObject({ sub: 'ada', roles: ['user'], tenant_id: 'default', dev: true });
    expect(readFileSync(join(folder, '.uar/keys/jwt.secret'), 'utf8').trim()).toHaveLength(64);
  });

  it('mints one for an agent that acts for the user, in the claim that the configuration reads', async () => {
    const claimsOf = async (argv: string[]): Promise<Record<string, unknown>> => {
      const { out } = await uar(['token', '--sub', 'ada', ...argv]);
      return JSON.parse(Buffer.from(out.split('.')[1] ?? '', 'base64url').toString()) as Record<
        string,
        unknown
      >;
    };
    expect(await claimsOf(['--agent', 'helper'])).toMatchObject({ sub: 'ada', act: { sub: 'helper' } });
    expect(await claimsOf([])).not.toHaveProperty('act');
    writeFileSync(join(folder, 'uar.yaml'), 'security: { claims: { agent: azp } }\n');
    const renamed = await claimsOf(['--agent', 'helper']);
    expect([renamed['azp'], renamed['act']]).toEqual(['helper', undefined]);
    expect(await uar(['token', '--agent', 'a b'])).toMatchObject({ code: 2, out: '' });
  });

  it('takes a life that no token may have for a wrong use', async () => {
    for (const life of ['0', '301', '-1', '1.5'])
      expect(await uar(['token', '--ttl-secs', life])).toMatchObject({ code: 2, out: '' });
  });

  it('refuses where tokens come from elsewhere', async () => {
    const env = { UAR_JWKS_URL: 'https://i.example/k', UAR_JWT_ISSUER: 'i', UAR_JWT_AUDIENCE: 'u' };
    expect(await uar(['token'], env)).toMatchObject({ code: 1, out: '' });
    expect(await uar(['token'], { ...env, UAR_PROFILE: 'server-full' })).toMatchObject({ code: 1, out: '' });
  });
});
