const literal = /"(?:[^"\\]|\\[\s\S])*"|\/\/[^\n]*|\b\d+\b/g;

/**
 * Cedar's integers have 64 bits, and whoever reads its JSON rounds those beyond 2^53: they become what the policy's own text
 * says. One that two numbers of the text are rounded to stays as it is.
 */
export function withExactNumbers(expression: unknown, text: string): unknown {
  const written = new Map<number, ReadonlySet<bigint>>();
  for (const [found] of text.matchAll(literal)) {
    if (!/^\d/.test(found) || Number.isSafeInteger(Number(found))) continue;
    written.set(Number(found), new Set([...(written.get(Number(found)) ?? []), BigInt(found)]));
  }
  return written.size === 0 ? expression : exactly(expression, written);
}

/** Whether every number in it is the one that was written. */
export function isExact(expression: unknown): boolean {
  if (typeof expression === 'number') return Number.isSafeInteger(expression);
  if (typeof expression !== 'object' || expression === null) return true;
  return Object.values(expression).every(isExact);
}

function exactly(value: unknown, written: ReadonlyMap<number, ReadonlySet<bigint>>): unknown {
  if (typeof value === 'number') return exactNumber(value, written);
  if (Array.isArray(value)) return value.map((one) => exactly(one, written));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, exactly(one, written)]));
}

function exactNumber(value: number, written: ReadonlyMap<number, ReadonlySet<bigint>>): number | bigint {
  const [only, other] = written.get(Math.abs(value)) ?? [];
  if (only === undefined || other !== undefined) return value;
  return value < 0 ? -only : only;
}
