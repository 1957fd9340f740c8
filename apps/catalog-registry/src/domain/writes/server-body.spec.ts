import { ServerConfig } from '@uar/contracts';
import { describe, expect, it } from 'vitest';
import { readBody, readPatch } from './server-body.js';

const base = ServerConfig.parse({
  transport: 'stdio',
  command: 'x',
  env: { A: '1', B: '2' },
  args: ['a', 'b'],
});

describe('readBody', () => {
  it('fills in the defaults and takes http as the alias it is', () => {
    const read = readBody({ transport: 'http', url: 'https://a.example/mcp' });
    expect(read).toMatchObject({
      config: { transport: 'streamable_http', enabled: true, timeout_ms: 30_000 },
    });
  });

  it('names every problem with its path', () => {
    const read = readBody({ transport: 'stdio', command: 'x', slots: 0, env: { A: 1 }, extra: true });
    const message = read.kind === 'bad_shape' ? read.message : '';
    for (const part of ['slots: ', 'env.A: ', 'extra']) expect(message).toContain(part);
  });

  it.each([null, undefined, 'text', [], 1])('takes %j as no configuration', (body) => {
    expect(readBody(body).kind).toBe('bad_shape');
    expect(readPatch(base, body).kind).toBe('bad_shape');
  });
});

describe('readPatch', () => {
  it.each<[object, object]>([
    [{}, base],
    [{ env: { B: null, C: '3' } }, { ...base, env: { A: '1', C: '3' } }],
    [{ env: null }, { ...base, env: {} }],
    [{ args: ['c'] }, { ...base, args: ['c'] }],
    [{ sandbox: { network: false } }, { ...base, sandbox: { ...base.sandbox, network: false } }],
    [
      { tools: { overrides: { echo: { read_only: true } } } },
      { ...base, tools: { overrides: { echo: { read_only: true } } } },
    ],
  ])('applies %j', (patch, config) => {
    expect(readPatch(base, patch)).toEqual({ kind: 'config', config });
  });

  it('changes no prototype', () => {
    const patch: unknown = JSON.parse('{"env":{"__proto__":{"polluted":"1"}}}');
    expect(readPatch(base, patch)).toEqual({ kind: 'config', config: base });
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });
});
