import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exampleFile, loadConfig, productRoot, type LoadOptions } from './index.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'uar-config-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

function load(options: Partial<LoadOptions> = {}) {
  return loadConfig({ env: {}, cwd: folder, ...options });
}

function good(options: Partial<LoadOptions> = {}) {
  const loaded = load(options);
  if (loaded.kind === 'bad') throw new Error(JSON.stringify(loaded.problems));
  return loaded;
}

function problems(yaml: string, options: Partial<LoadOptions> = {}): string[] {
  const loaded = load({ file: write('uar.yaml', yaml), ...options });
  return loaded.kind === 'bad' ? loaded.problems.map(({ path, message }) => `${path}: ${message}`) : [];
}

const secret = 'a-secret-of-more-than-thirty-two-bytes';
const jwks = 'jwks_url: https://idp.example/keys, jwt_issuer: https://idp.example, jwt_audience: uar';

describe('the order of sources', () => {
  it('takes a flag over the environment, the environment over the file, the file over the default', () => {
    const file = write(
      'uar.yaml',
      'server: { port: 1, management_port: 2, host: localhost }\nlog_level: warn\n',
    );
    const env = { UAR_PORT: '3', UAR_MANAGEMENT_PORT: '4' };
    const loaded = good({ file, env, overrides: { server: { port: 5 } } });
    expect(loaded.config.server).toMatchObject({ port: 5, management_port: 4, host: 'localhost' });
    expect(loaded.config.log_level).toBe('warn');
    expect(loaded.config.server.body_limit_kb).toBe(4096);
    expect(Object.fromEntries(loaded.sources)).toEqual({
      'server.port': 'flag',
      'server.management_port': 'UAR_MANAGEMENT_PORT',
      'server.host': 'uar.yaml:1',
      log_level: 'uar.yaml:2',
    });
  });

  it('reads ./uar.yaml where there is one, else the shipped example', () => {
    expect(good().file).toBe(exampleFile);
    expect(Object.keys(good().config.mcp.servers)).toEqual(['everything', 'filesystem']);
    const own = write('uar.yaml', 'log_level: error\n');
    expect(good()).toMatchObject({ file: own, config: { log_level: 'error' } });
    expect(good().config.mcp.servers).toEqual({});
  });

  it('reads no file at all when told so', () => {
    write('uar.yaml', 'log_level: error\n');
    expect(good({ file: null })).toMatchObject({ file: undefined, config: { log_level: 'info' } });
  });

  it('counts an empty variable as unset', () => {
    expect(good({ env: { UAR_PORT: '', UAR_CONFIG: '' } }).config.server.port).toBe(1906);
  });

  it('lets a secret of the environment replace whichever secret the file has', () => {
    const file = write('uar.yaml', 'security: { jwt_secret_file: absent.secret }\n');
    const loaded = good({ file, env: { UAR_JWT_SECRET: secret } });
    expect(loaded.config.security).toMatchObject({ jwt_secret: secret });
    expect(loaded.config.security.jwt_secret_file).toBeUndefined();
  });
});

describe('paths', () => {
  it('reads those of the file from its folder and the others from the working folder', () => {
    mkdirSync(join(folder, 'etc'));
    const file = write(
      'etc/uar.yaml',
      [
        'data_dir: state',
        'governance: { policies_dir: ../policies }',
        'native_tools: { file_allowed_paths: [work, /abs] }',
        'mcp: { servers: { a: { transport: stdio, command: ./run, cwd: x, sandbox: { read: [r] } } } }',
        'tenants: { acme: { mcp: { servers: { b: { transport: stdio, command: run, cwd: "${HERE}" } } } } }',
      ].join('\n'),
    );
    const { config } = good({ file, env: { UAR_DATA_KEY_FILE: 'data.key' } });
    expect(config.data_dir).toBe(join(folder, 'etc/state'));
    expect(config.governance.policies_dir).toBe(join(folder, 'policies'));
    expect(config.native_tools.file_allowed_paths).toEqual([join(folder, 'etc/work'), '/abs']);
    expect(config.keys.data_key_file).toBe(join(folder, 'data.key'));
    expect(config.keys.grant_public_file).toBe(join(folder, 'etc/state/keys/grant.pub'));
    expect(config.mcp.servers['a']).toMatchObject({
      command: join(folder, 'etc/run'),
      cwd: join(folder, 'etc/x'),
      sandbox: { read: [join(folder, 'etc/r')] },
    });
    expect(Object.values(config.tenants).map((tenant) => tenant.mcp.servers['b']?.cwd)).toContain('${HERE}');
  });

  it('has defaults in the working folder and in the installation', () => {
    const { config } = good();
    expect(config.data_dir).toBe(join(folder, '.uar'));
    expect(config.governance.policies_dir).toBe(join(productRoot, 'deploy/policies'));
  });
});

describe('what depends on something else', () => {
  it('fills the defaults of minimal', () => {
    const { config } = good();
    expect(config.mcp).toMatchObject({
      api_commands: ['*'],
      allowed_private_networks: ['127.0.0.0/8', '::1/128'],
      config_files: [],
    });
    expect(config.security.default_tenant).toBe('default');
    expect(config.server.public_url).toBe('http://127.0.0.1:1906');
    expect(Object.values(config.tenants)).toMatchObject([{ approval_needs_interactive: false }]);
  });

  it('fills the defaults of server-full and makes no secret there', () => {
    const file = write('uar.yaml', `profile: server-full\nsecurity: { ${jwks} }\ntenants: { acme: {} }\n`);
    const { config } = good({ file });
    expect(config.mcp).toMatchObject({ api_commands: [], allowed_private_networks: [] });
    expect(config.security.default_tenant).toBeUndefined();
    expect(config.security.jwt_secret).toBeUndefined();
    expect(
      Object.entries(config.tenants).map(([name, tenant]) => [name, tenant.approval_needs_interactive]),
    ).toEqual([
      ['acme', true],
      ['default', true],
    ]);
  });

  it('frees the management port together with the gateway port unless it is set', () => {
    expect(good({ env: { UAR_PORT: '0' } }).config.server).toMatchObject({ port: 0, management_port: 0 });
    expect(good({ env: { UAR_PORT: '0' } }).config.server.public_url).toBeUndefined();
    expect(good({ env: { UAR_PORT: '0', UAR_MANAGEMENT_PORT: '7' } }).config.server.management_port).toBe(7);
  });

  it.each([
    ['0.0.0.0', 'http://127.0.0.1:1906'],
    ['::1', 'http://[::1]:1906'],
    ['gateway.lan', 'http://gateway.lan:1906'],
  ])('derives the public URL from host %s', (host, url) => {
    expect(good({ env: { UAR_HOST: host } }).config.server.public_url).toBe(url);
  });
});

describe('the secret', () => {
  it('is made once in minimal, readable by its owner only', () => {
    const first = good().config.security.jwt_secret;
    const file = join(folder, '.uar/keys/jwt.secret');
    expect(readFileSync(file, 'utf8').trim()).toBe(first);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, '.uar')).mode & 0o777).toBe(0o700);
    expect(good().config.security.jwt_secret).toBe(first);
  });

  it('is not made when generation is off or another identity is configured', () => {
    expect(good({ generate: false }).config.security.jwt_secret).toBeUndefined();
    expect(
      good({ file: write('a.yaml', `security: { ${jwks} }`) }).config.security.jwt_secret,
    ).toBeUndefined();
    expect(() => statSync(join(folder, '.uar'))).toThrow();
  });

  it('is read from its file, without the line break', () => {
    write('the.secret', `${secret}\n`);
    const file = write('a.yaml', 'security: { jwt_secret_file: the.secret }');
    expect(good({ file }).config.security.jwt_secret).toBe(secret);
  });

  it('counts bytes, not characters', () => {
    expect(problems(`security: { jwt_secret: ${'ä'.repeat(16)} }`)).toEqual([]);
    expect(problems(`security: { jwt_secret: ${'a'.repeat(31)} }`)).toEqual([
      'security.jwt_secret: needs at least 32 bytes (uar.yaml:1)',
    ]);
  });
});
