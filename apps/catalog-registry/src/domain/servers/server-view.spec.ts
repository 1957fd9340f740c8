import { ServerConfig, TenantId } from '@uar/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DesiredServers } from './desired-servers.js';
import { literalSecrets } from './literal-secrets.js';
import { maskUrl, serverView } from './server-view.js';

describe('maskUrl', () => {
  it.each([
    ['https://a.example/mcp', 'https://a.example/mcp'],
    ['https://${HOST}/mcp', 'https://${HOST}/mcp'],
    ['https://user:secret@a.example/mcp', 'https://***@a.example/mcp'],
    ['https://secret@b@a.example', 'https://***@a.example'],
    ['https://a.example/?key=secret&x=1', 'https://a.example/?key=***&x=***'],
    ['https://a.example/?secret', 'https://a.example/?***'],
    ['https://a.example/?a=1#secret', 'https://a.example/?a=***#***'],
    ['https://a.example/#secret', 'https://a.example/#***'],
    ['https://a.example/path@x', 'https://a.example/path@x'],
  ])('shows %s as %s', (url, shown) => {
    expect(maskUrl(url)).toBe(shown);
  });

  it('never shows a password or a query value', () => {
    const word = fc.stringMatching(/^[A-Za-z0-9:=%.-]{0,12}$/);
    fc.assert(
      fc.property(word, word, (one, two) => {
        const masked = maskUrl(`https://u${one}SECRET:SECRET${two}@host/p?a${two}=SECRET${one}&SECRET`);
        expect(masked).not.toContain('SECRET');
      }),
    );
  });
});

describe('literalSecrets', () => {
  it.each<[string, string, boolean]>([
    ['API_TOKEN', 'abc', true],
    ['api-key', 'abc', true],
    ['Authorization', 'Bearer abc', true],
    ['Authorization', 'Bearer ${TOKEN}', false],
    ['DB_PASSWORD', '${DB_PASSWORD}', false],
    ['DB_PASSWORD', '${DB_PASSWORD:-}', false],
    ['DB_PASSWORD', '${DB_PASSWORD:-hunter2}', true],
    ['DB_PASSWORD', '', false],
    ['TZ', 'UTC', false],
  ])('warns of %s: %s: %s', (key, value, warned) => {
    const config = ServerConfig.parse({ transport: 'stdio', command: 'x', env: { [key]: value } });
    const warnings = literalSecrets(config);
    expect(warnings.map((warning) => warning.key)).toEqual(warned ? [key] : []);
    if (value !== '') expect(JSON.stringify(warnings)).not.toContain(value);
  });
});

describe('serverView', () => {
  it('shows which secrets of its OAuth client are set, and none of them', () => {
    const tenant = TenantId.parse('default');
    const config = ServerConfig.parse({
      transport: 'streamable_http',
      url: 'https://a.example/mcp',
      auth: {
        ...{ type: 'oauth', flow: 'client_credentials', client_id: 'us', client_secret: 's3cret' },
        token_endpoint: 'https://as.example/token?key=s3cret',
        issuer: 'https://${HOST}/?key=s3cret',
      },
    });
    const server = new DesiredServers([{ tenant, name: 'docs', config }]).get(tenant, 'docs');
    if (server === undefined) throw new Error('no server');
    const view = serverView(server, { connected: true, sandboxEffective: 'none', warnings: [], tools: [] });
    expect(view.auth).toEqual({
      ...{ type: 'oauth', flow: 'client_credentials', client_id: 'us', secret_keys: ['client_secret'] },
      ...{ token_endpoint: 'https://as.example/token?key=***', issuer: 'https://${HOST}/?key=***' },
    });
    expect(view.warnings.map(({ key }) => key)).toEqual(['auth.client_secret']);
    expect(JSON.stringify(view)).not.toContain('s3cret');
  });

  it('shows keys instead of values', () => {
    const tenant = TenantId.parse('default');
    const config = ServerConfig.parse({
      transport: 'streamable_http',
      url: 'https://u:s3cret@a.example/mcp?k=s3cret',
      headers: { 'X-B': 's3cret', 'X-A': 's3cret' },
    });
    const server = new DesiredServers([{ tenant, name: 'docs', config }]).get(tenant, 'docs');
    if (server === undefined) throw new Error('no server');
    const standing = {
      connected: true,
      sandboxEffective: 'none',
      warnings: [],
      tools: ['docs__b', 'docs__a'],
    };
    const view = serverView(server, standing);
    expect(view).toMatchObject({
      name: 'docs',
      header_keys: ['X-A', 'X-B'],
      env_keys: [],
      tools: ['docs__a', 'docs__b'],
    });
    expect(JSON.stringify(view)).not.toContain('s3cret');
    expect(view).not.toHaveProperty('headers');
  });
});
