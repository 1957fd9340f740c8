import { describe, expect, it } from 'vitest';
import { createLog } from './index.js';

function logged(write: (log: ReturnType<typeof createLog>) => void): string[] {
  const lines: string[] = [];
  write(createLog({ service: 'gateway', level: 'debug', to: { write: (line) => lines.push(line) } }));
  return lines;
}

describe('a log', () => {
  it('writes one line per event, whatever the fields hold', () => {
    const lines = logged((log) => log.info({ tool: 'a\n{"msg":"forged"}\r\u2028' }, 'call\nended'));
    expect(lines).toHaveLength(1);
    expect(lines[0]?.trimEnd()).not.toMatch(/[\n\r]/);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      service: 'gateway',
      tool: 'a\n{"msg":"forged"}\r\u2028',
    });
  });

  it.each([
    ['a JWT', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJkZXYifQ.c2lnbmF0dXJlc2ln'],
    ['a bearer token', 'Bearer planted-token-1234'],
    ['a provider key', 'sk-planted0123456789abcdef'],
    ['a GitHub token', 'ghp_planted0123456789abcdef'],
    ['user-info in an URL', 'https://user:planted@example.com/'],
  ])('never shows %s, in a field, a message, a child or an error', (_what, token) => {
    const secret = token.split(/[ /@.]/).find((part) => part.length > 8) ?? token;
    const lines = logged((log) => {
      log.info({ deep: { header: token } }, `saw ${token}`);
      log.child({ from: token }).warn({ err: new Error(token) }, 'failed');
    });
    expect(lines).toHaveLength(2);
    expect(lines.join('')).not.toContain(secret);
    expect(lines.join('')).toContain('***');
    for (const line of lines) expect(() => JSON.parse(line)).not.toThrow();
  });

  it('leaves ids, digests and plain URLs alone', () => {
    const fields = {
      call: `call_${'a1'.repeat(16)}`,
      digest: `sha256:${'0f'.repeat(32)}`,
      url: 'http://127.0.0.1:1906/mcp',
    };
    expect(JSON.parse(logged((log) => log.info(fields))[0] ?? '')).toMatchObject(fields);
  });

  it('ends in bounded time for a long line', () => {
    const started = performance.now();
    logged((log) => log.info({ text: `Bearer ${'eyJ'.repeat(200_000)}://`, more: 'a'.repeat(500_000) }));
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});
