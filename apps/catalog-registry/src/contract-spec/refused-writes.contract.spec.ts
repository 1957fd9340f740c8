import { withBothBuses } from '@uar/testkit';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { asking, type Asking } from './asking.fixture.js';
import { World, settingKey, type HostHalf, type LedgerHalf } from './world.fixture.js';

const stdio = { transport: 'stdio', command: 'server' };

withBothBuses('catalog-registry, refused writes of servers', (connect) => {
  let world: World;
  let ledger: LedgerHalf;
  let host: HostHalf;
  let ask: Asking;

  beforeEach(async () => {
    world = new World(connect);
    ledger = await world.ledger();
    host = await world.host();
    ask = asking(await world.bus('gateway'));
    host.tools.set('fs', [{ name: 'echo', inputSchema: { type: 'object' } }]);
  });
  afterEach(() => world.close());

  it.each<[string, unknown, string]>([
    ['native', 'no object', 'name_reserved'],
    ['Native', stdio, 'name_reserved'],
    ['native.', stdio, 'name_reserved'],
    ['uar_runtime', stdio, 'name_reserved'],
    ['TAKEN', 'no object', 'name_taken'],
    ['taken.', stdio, 'name_taken'],
    ['New Server', 'no object', 'bad_name'],
    ['new', { transport: 'stdio', unknown: 1 }, 'bad_shape'],
    ['new', { transport: 'streamable_http' }, 'bad_shape'],
    ['new', { transport: 'stdio', command: 'other' }, 'stdio_not_allowed'],
  ])('as %s with %j is %s', async (name, body, kind) => {
    await world.registry({ mcp: { api_commands: ['server'], servers: { taken: stdio } } });
    expect(await ask.put(name, body)).toMatchObject({ kind });
    expect(ledger.settings.size).toBe(0);
    expect(host.tried).toEqual([]);
  });

  it('names every placeholder that does not resolve, or why it did not connect, and stores nothing', async () => {
    await world.registry();
    host.tryAnswer = () => ({ kind: 'placeholder_unresolved', missing: ['A', 'B'] });
    expect(await ask.put('fs', stdio, false)).toEqual({
      kind: 'placeholder_unresolved',
      missing: ['A', 'B'],
    });
    host.tryAnswer = () => ({ kind: 'connect_failed', message: 'refused' });
    expect(await ask.put('fs', stdio)).toEqual({ kind: 'connect_failed', message: 'refused' });
    expect(ledger.settings.size).toBe(0);
    expect(await ask.servers()).toEqual([]);
  });

  it('lets a file server keep its command, but not take a new one, where the API may set none', async () => {
    await world.registry({ mcp: { api_commands: [], servers: { fs: stdio } } });
    expect(await ask.patch('fs', { timeout_ms: 9 })).toMatchObject({ kind: 'written' });
    expect(await ask.patch('fs', { args: ['--evil'] })).toMatchObject({ kind: 'stdio_not_allowed' });
  });

  it('changes nothing when the ledger does not take it', async () => {
    await world.registry({ mcp: { servers: { fs: stdio } } });
    expect(await ask.servers()).toHaveLength(1);
    ledger.broken = true;
    expect(await ask.put('fs', { ...stdio, timeout_ms: 1 })).toMatchObject({ kind: 'unavailable' });
    expect(await ask.remove('fs')).toMatchObject({ kind: 'unavailable' });
    expect(await ask.servers()).toMatchObject([{ name: 'fs', timeout_ms: 30_000 }]);
    ledger.broken = false;
    expect(await ask.remove('fs')).toEqual({ kind: 'deleted' });
  });

  it('goes on from what the ledger holds when the answer to a write was lost', async () => {
    host.tools.delete('fs');
    await world.registry();
    ledger.losesAnswers = true;
    expect(await ask.put('fs', { ...stdio, timeout_ms: 1 })).toMatchObject({ kind: 'unavailable' });
    expect(await ask.servers()).toEqual([]);
    ledger.losesAnswers = false;
    expect(await ask.put('fs', { ...stdio, timeout_ms: 2 })).toMatchObject({
      kind: 'unavailable',
      message: expect.stringContaining('write it again'),
    });
    expect(await ask.servers()).toMatchObject([{ name: 'fs', timeout_ms: 1 }]);
    expect(await ask.put('fs', { ...stdio, timeout_ms: 2 })).toMatchObject({ kind: 'written' });
    expect(ledger.actions()).toEqual(['server.put fs', 'server.put fs']);
  });

  it('lets one of two writers of a server through at a time, both in the end', async () => {
    await world.registry();
    const answers = await Promise.all([
      ask.put('fs', { ...stdio, timeout_ms: 1 }),
      ask.put('fs', { ...stdio, timeout_ms: 2 }),
    ]);
    expect(answers.map((answer) => answer.kind === 'written' && answer.created)).toEqual([true, false]);
    expect(await ask.servers()).toMatchObject([{ timeout_ms: 2 }]);
    expect(ledger.settings.get(settingKey('server', 'fs'))?.revision).toBe(2);
  });
});
