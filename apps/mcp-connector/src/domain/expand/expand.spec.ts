import { ServerConfig } from '@uar/contracts';
import { describe, expect, it } from 'vitest';
import { expandServer, type PlaceholderRules } from './placeholders.js';
import { replaceSecrets, scrub } from './scrub.js';

const variables: Record<string, string> = {
  TOKEN: 'top-secret',
  NESTED: '${TOKEN}',
  EMPTY: '',
  HOST: 'example.org',
  UAR_JWT_SECRET: 'ours',
  PGPASSWORD: 'ours',
};
const rules: PlaceholderRules = { lookup: (name) => variables[name] };
const stdio = (more: object): ServerConfig =>
  ServerConfig.parse({ transport: 'stdio', command: 'run', ...more });
const web = (url: string, headers: object = {}): ServerConfig =>
  ServerConfig.parse({ transport: 'http', url, headers });

describe('expandServer', () => {
  it('fills every place once, and knows what is secret', () => {
    const expansion = expandServer(
      stdio({
        command: '${HOST}/run',
        args: ['--token=${TOKEN}', '${env:NESTED}', '${NONE:-fall back}', '$TOKEN ${#x}'],
        cwd: '/${HOST}',
        env: { A: 'Bearer ${TOKEN}', '${TOKEN}': 'literal' },
      }),
      rules,
    );
    if (expansion.kind !== 'expanded') throw new Error(JSON.stringify(expansion));
    expect(expansion.config).toMatchObject({
      command: 'example.org/run',
      args: ['--token=top-secret', '${TOKEN}', 'fall back', '$TOKEN ${#x}'],
      cwd: '/example.org',
      env: { A: 'Bearer top-secret', '${TOKEN}': 'literal' },
    });
    expect(expansion.secrets).toEqual(expect.arrayContaining(['top-secret', 'Bearer top-secret', 'literal']));
    expect(expansion.secrets).not.toContain('fall back');
  });

  it('names everything that has no value, reserved names whatever they hold', () => {
    const env = {
      A: '${GONE}',
      B: '${EMPTY} ${GONE}',
      C: '${UAR_JWT_SECRET:-x}',
      D: '${PGPASSWORD}',
      E: '${EMPTY:-}',
    };
    expect(expandServer(stdio({ env }), rules)).toEqual({
      kind: 'unresolved',
      missing: ['GONE', 'EMPTY', 'UAR_JWT_SECRET', 'PGPASSWORD'],
    });
  });

  it('takes an empty default everywhere but in the URL', () => {
    expect(expandServer(web('http://h/${EMPTY:-}'), rules)).toEqual({
      kind: 'unresolved',
      missing: ['EMPTY'],
    });
    expect(expandServer(web('http://h/', { A: '${EMPTY:-}' }), rules).kind).toBe('expanded');
  });

  it('reads only allowed names where there is a list', () => {
    const some = { ...rules, allowed: ['HOST'] };
    expect(expandServer(web('http://${HOST}/', { A: '${TOKEN}' }), some)).toEqual({
      kind: 'unresolved',
      missing: ['TOKEN'],
    });
  });

  it('fills what an OAuth client is, and counts its secrets', () => {
    const auth = { type: 'oauth', client_id: 'at-${HOST}', client_secret: '${TOKEN}', scope: 'a b' };
    const server = (more: object) =>
      ServerConfig.parse({ transport: 'http', url: 'http://h/', auth: { ...auth, ...more } });
    const expansion = expandServer(server({ client_secret: 'written-out' }), rules);
    if (expansion.kind !== 'expanded') throw new Error(JSON.stringify(expansion));
    expect(expansion.config.auth).toMatchObject({ client_id: 'at-example.org', scope: 'a b' });
    expect(expansion.secrets).toContain('written-out');
    expect(expandServer(server({}), rules)).toMatchObject({
      config: { auth: { client_secret: 'top-secret' } },
    });
    expect(expandServer(server({ audience: '${GONE}' }), rules)).toEqual({
      kind: 'unresolved',
      missing: ['GONE'],
    });
  });

  it('counts the secret parts of a URL and of a header as secrets', () => {
    const expansion = expandServer(web('https://u:pass-word@h/mcp?key=k-e-y', { A: 'Basic YWJj' }), rules);
    expect(expansion.kind === 'expanded' && expansion.secrets).toEqual(
      expect.arrayContaining(['pass-word', 'k-e-y', 'key=k-e-y', 'YWJj', 'Basic YWJj']),
    );
  });
});

describe('scrub', () => {
  it('leaves no secret, no part of a longer one, and one short line', () => {
    expect(
      scrub('a top-secret-long\nb top-secret \u001b[31m\u202e', ['top-secret', 'top-secret-long', 'a']),
    ).toBe('a *** b *** [31m');
    expect(scrub('x'.repeat(2_000), []).length).toBe(503);
  });

  it('hides a secret in whatever JSON escaping it comes back', () => {
    const secret = 'pass"wo\\rd/é';
    const once = JSON.stringify(secret);
    const spelled = [
      once,
      once.replace('é', '\\u00e9'),
      once.replace('é', '\\u00E9'),
      once.replace('/', '\\/'),
    ];
    for (const text of [secret, ...spelled, JSON.stringify({ body: JSON.stringify({ a: secret }) })])
      expect(replaceSecrets(text, [secret]), text).not.toMatch(/pass|rd/);
  });
});
