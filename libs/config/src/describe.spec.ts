import { describe, expect, it } from 'vitest';
import { describeConfig, UarConfig } from './index.js';

describe('the description of the configuration', () => {
  const rows = new Map(describeConfig().map((row) => [row.path, row]));

  it('has a row for every key that a default configuration has', () => {
    const keys = (value: object, prefix: string): string[] =>
      Object.entries(value).flatMap(([key, item]: [string, unknown]) =>
        typeof item === 'object' && item !== null && !Array.isArray(item) && Object.keys(item).length > 0
          ? keys(item, `${prefix}${key}.`)
          : [`${prefix}${key}`],
      );
    const known = [...rows.keys()];
    for (const key of keys(UarConfig.parse({}), ''))
      expect(known.some((row) => row === key || row.startsWith(`${key}.`))).toBe(true);
  });

  it('says type, default, variable and whether it is secret', () => {
    expect(rows.get('server.port')).toMatchObject({
      type: 'integer 0-65535',
      default: 1906,
      variable: 'UAR_PORT',
      secret: false,
    });
    expect(rows.get('security.jwt_secret')).toMatchObject({ secret: true, variable: 'UAR_JWT_SECRET' });
    expect(rows.get('mcp.servers.<name>.transport')?.type).toBe('stdio | streamable_http | http');
    expect(rows.get('mcp.servers.<name>.env')?.type).toBe('map of string');
  });

  it('describes every key', () => {
    expect([...rows.values()].filter((row) => row.description === '').map((row) => row.path)).toEqual([]);
  });

  it('names a key that exists for every variable', async () => {
    const { configVariables } = await import('./sources/environment.js');
    for (const { path } of Object.values(configVariables)) expect(rows.has(path)).toBe(true);
  });
});
