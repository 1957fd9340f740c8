import { describe, expect, it } from 'vitest';
import { childOf, newTrace, parseTrace } from './index.js';

describe('a trace', () => {
  it('begins with ids that are never repeated', () => {
    const traces = new Set(Array.from({ length: 5_000 }, newTrace));
    expect(traces.size).toBe(5_000);
    for (const trace of traces) expect(trace).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  });

  it('keeps its id and flags in a child that has a span of its own', () => {
    const parent = `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-00`;
    const child = parseTrace(childOf(parent));
    expect(child).toMatchObject({ traceId: 'ab'.repeat(16), flags: '00' });
    expect(child?.spanId).not.toBe('cd'.repeat(8));
  });

  it.each([
    undefined,
    '',
    'nonsense',
    `00-${'0'.repeat(32)}-${'cd'.repeat(8)}-01`,
    `00-${'ab'.repeat(16)}-${'0'.repeat(16)}-01`,
    `00-${'AB'.repeat(16)}-${'cd'.repeat(8)}-01`,
    `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01\n`,
  ])('begins anew after %j', (given) => {
    expect(parseTrace(given)).toBeUndefined();
    expect(childOf(given)).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  });
});
