import { describe, expect, it } from 'vitest';
import { printConfig, redactUrls, UarConfig } from './index.js';

describe('the printed configuration', () => {
  const config = UarConfig.parse({
    security: { jwt_secret: 'planted-one-planted-one-planted-one' },
    approvals: {
      webhook: { url: 'https://u:planted-two@hook.example/x?key=planted-three', secret_env: 'HOOK' },
    },
    mcp: {
      servers: {
        a: {
          transport: 'stdio',
          command: 'run',
          args: ['--port', '1', '--api-key', 'planted-four', '--token=planted-five', 'PASSWORD=planted-six'],
          env: { KEY: 'planted-seven' },
        },
        env: { transport: 'http', url: 'https://planted-eight@x.example/?q=planted-nine#planted-ten' },
      },
    },
    tenants: {
      acme: {
        mcp: {
          servers: {
            b: { transport: 'http', url: 'https://${HOST}/', headers: { A: 'planted-eleven' } },
            c: {
              transport: 'http',
              url: 'https://c.example/',
              auth: { type: 'oauth', client_id: 'shown-id', client_secret: 'planted-twelve' },
            },
            d: {
              transport: 'http',
              url: 'https://d.example/',
              auth: { type: 'oauth', client_id: 'd', private_key: 'planted-thirteen' },
            },
          },
        },
      },
    },
  });
  const text = printConfig(config);

  it('shows no secret wherever it was put', () => {
    expect(text).not.toContain('planted');
  });

  it('shows everything else', () => {
    for (const part of [
      'jwt_secret: "***"',
      'KEY: "***"',
      'A: "***"',
      'https://${HOST}/',
      '- --port',
      'PASSWORD=***',
      'client_id: shown-id',
      'client_secret: "***"',
      'private_key: "***"',
    ])
      expect(text).toContain(part);
    expect(text).toContain('https://hook.example/***');
    expect(text).toContain('command: run');
  });
});

describe('an URL that is shown', () => {
  it.each([
    ['https://a.example/p', 'https://a.example/p'],
    ['https://u:p@a.example/p?x=1&y=2', 'https://***@a.example/p?x=***&y=***'],
    ['https://u:p@q@a.example/', 'https://***@a.example/'],
    ['https://a.example/u@b', 'https://a.example/u@b'],
    ['postgres://u:p@h/db', 'postgres://***@h/db'],
    ['no url at all', 'no url at all'],
  ])('%s becomes %s', (given, shown) => {
    expect(redactUrls(given)).toBe(shown);
  });
});
