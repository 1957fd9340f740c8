import { afterAll, describe, expect, it } from 'vitest';
import { entry } from '../../domain/call-spec/entry.fixture.js';
import { ArgumentSchemas } from './argument-schemas.js';

const schemas = new ArgumentSchemas();
afterAll(() => schemas.stop());

const check = (inputSchema: object, value: unknown) =>
  schemas.check(entry('t', {}, inputSchema), JSON.stringify(value));

const wide = (count: number) => ({
  properties: Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, { type: 'string' }])),
});

describe('arguments', () => {
  it('are checked at once by a small schema', () => {
    expect(check(wide(10), { p1: 1 })).toMatchObject({ kind: 'does_not_fit', errors: [{ path: '/p1' }] });
  });

  it('are checked by a large one beside everything else, in the same way (O2)', async () => {
    const answer = check(wide(400), { p399: 1 });
    expect(answer).toBeInstanceOf(Promise);
    expect(await answer).toMatchObject({
      kind: 'does_not_fit',
      errors: [{ path: '/p399', message: 'must be string' }],
    });
    expect(await check(wide(400), { p399: '' })).toEqual({ kind: 'fits' });
  });

  it('wait for nobody else: a hundred checks by ten large schemas leave the loop free', async () => {
    let turns = 0;
    let isOver = false;
    const turn = (): void => {
      turns += 1;
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    const answers = await Promise.all(
      Array.from({ length: 100 }, async (_, at) => check({ ...wide(200), $comment: String(at % 10) }, {})),
    );
    isOver = true;
    expect(answers).toEqual(Array(100).fill({ kind: 'fits' }));
    expect(turns).toBeGreaterThan(100);
  });

  it('are not held against the tool where the thread that checks is lost', async () => {
    // Never sent by the gateway, which scans what it received: the thread does not survive it.
    const answer = schemas.check(entry('t', {}, wide(400)), '{');
    expect(await answer).toEqual({ kind: 'unavailable', cause: 'schema_thread_lost' });
    expect(await check(wide(400), {})).toEqual({ kind: 'fits' });
  });

  it('are refused where the schema is beyond its bounds, without a thread', () => {
    expect(check(wide(501), {})).toMatchObject({ kind: 'uncheckable', cause: 'schema_too_many_properties' });
  });
});
