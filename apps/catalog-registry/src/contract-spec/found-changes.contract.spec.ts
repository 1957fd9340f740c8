import { withBothBuses } from '@uar/testkit';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { names, states } from './asking.fixture.js';
import { changingWorld, echo, evil, file, sum, type ChangingWorld } from './changing-world.fixture.js';
import { tenant, until } from './world.fixture.js';

withBothBuses('catalog-registry, the changes it finds', (connect) => {
  let world: ChangingWorld['world'];
  let ledger: ChangingWorld['ledger'];
  let host: ChangingWorld['host'];
  let gateway: ChangingWorld['gateway'];
  let ask: ChangingWorld['ask'];
  let turned: ChangingWorld['turned'];

  beforeEach(async () => {
    ({ world, ledger, host, gateway, ask, turned } = await changingWorld(connect));
  });
  afterEach(() => world.close());

  it('asks about a tool that came later, and about a flagged one of the first list', async () => {
    const { replica } = await turned(file({ pin: 'block' }), [evil], [evil, sum]);
    expect(states(replica)).toEqual({ fs__echo: 'quarantined', fs__sum: 'quarantined' });
    const changes = await ask.changes('fs');
    expect(changes.map(({ tool, old_digest, diff }) => [tool, old_digest, diff.against])).toEqual(
      expect.arrayContaining([
        ['fs__echo', null, 'nothing'],
        ['fs__sum', null, 'nothing'],
      ]),
    );
    const later = changes.find(({ tool }) => tool === 'fs__sum');
    expect(later?.diff.differences).toEqual([
      { kind: 'added', pointer: '/name', new: '"sum"' },
      { kind: 'added', pointer: '/inputSchema', new: '{"type":"object"}' },
    ]);
    for (const { id } of changes) await ask.decide('fs', id, 'accept');
    await until(replica, () => Object.values(states(replica)).join() === 'available,available');
  });

  it('quarantines the flagged under warn, and under off only those whose names deceive', async () => {
    const { replica } = await turned(file(), [echo], [evil]);
    expect(states(replica)).toEqual({ fs__echo: 'quarantined' });
    const off = { ...file({ pin: 'off' }).mcp.servers.fs };
    await ask.put('fs', off, false);
    await host.serve('fs', [evil, { name: 'e\u0441ho' }]);
    await until(replica, () => states(replica)['fs__echo'] === 'available' && names(replica).length === 2);
    expect(Object.values(states(replica)).toSorted()).toEqual(['available', 'quarantined']);
    expect(await ask.changes('fs')).toEqual([]);
  });

  it('says of a change that the definition moved on, and of an unknown one that there is none', async () => {
    await turned(file({ pin: 'block' }), [echo], [evil]);
    const [change] = await ask.changes('fs');
    const { id } = change ?? { id: '' };
    await host.serve('fs', [{ ...echo, description: 'yet another' }]);
    await expect.poll(async () => (await ask.changes('fs'))[0]?.id).not.toBe(id);
    expect(await ask.changes('fs')).toHaveLength(1);
    expect(await ask.decide('fs', id, 'accept')).toMatchObject({ kind: 'superseded' });
    expect(await ask.decide('fs', 'chg_0', 'accept')).toMatchObject({ kind: 'not_found' });
    expect(await ask.decide('nobody', id, 'accept')).toMatchObject({ kind: 'not_found' });
    expect(await ask.listChanges('nobody')).toMatchObject({ kind: 'not_found' });
    expect(ledger.actions()).toEqual([]);
  });

  it('changes nothing when the ledger does not take a decision, and quarantines without it', async () => {
    const { replica } = await turned(file({ pin: 'block' }), [echo], [evil]);
    const [change] = await ask.changes('fs');
    ledger.broken = true;
    expect(await ask.decide('fs', change?.id ?? '', 'accept')).toMatchObject({ kind: 'unavailable' });
    expect(ledger.receipts).toEqual([]);
    expect(states(replica)).toEqual({ fs__echo: 'quarantined' });
    await host.serve('fs', [{ ...echo, description: 'yet another' }]);
    await until(replica, () => replica.find(tenant, 'fs__echo')?.definition_json.includes('yet') === true);
    expect(states(replica)).toEqual({ fs__echo: 'quarantined' });
    expect(await ask.listChanges('fs')).toMatchObject({ kind: 'unavailable' });
    ledger.broken = false;
    expect(await ask.changes('fs')).toMatchObject([{ diff: { against: 'reviewed' } }]);
  });

  it('shows a difference that came while the registry was away, and starts anew after a delete', async () => {
    const { registry, replica } = await turned(file({ pin: 'block' }), [echo], [echo, sum]);
    await registry.stop();
    await world.registry(file({ pin: 'block' }));
    await host.serve('fs', [evil]);
    await until(replica, () => states(replica)['fs__echo'] === 'quarantined');
    expect(await ask.changes('fs')).toMatchObject([{ tool: 'fs__echo', diff: { against: 'reviewed' } }]);
    const kept = [...ledger.settings.values()].filter(({ namespace }) => namespace.startsWith('review-'));
    expect(kept.filter(({ value }) => value !== null).length).toBeGreaterThan(0);
    await ask.remove('fs');
    await until(replica, () => replica.server(tenant, 'fs') === undefined);
    const left = [...ledger.settings.values()].filter(({ namespace }) => namespace.startsWith('review-'));
    expect(left.filter(({ value }) => value !== null)).toEqual([]);
  });

  it('holds back a twin of a tool of another server, whichever came first', async () => {
    await world.registry(file());
    const replica = await world.replica(gateway);
    await host.serve('fs', [{ name: 'сору' }]);
    await until(replica, () => Object.values(states(replica)).join() === 'available');
    await host.serve('web', [{ name: 'copy' }]);
    await until(replica, () => Object.keys(states(replica)).length === 2);
    const twin = Object.keys(states(replica)).find((name) => name !== 'web__copy') ?? '';
    await until(replica, () => states(replica)[twin] === 'quarantined');
    expect(states(replica)['web__copy']).toBe('available');
    expect(await ask.changes('fs')).toMatchObject([
      { tool: twin, diff: { flags: ['looks like another tool'] } },
    ]);
  });
});
