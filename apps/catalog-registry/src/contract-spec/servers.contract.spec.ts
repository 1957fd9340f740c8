import type { Bus } from '@uar/bus';
import type { ServerView, ServerWritten } from '@uar/contracts';
import { withBothBuses } from '@uar/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { asking, names, states, type Asking } from './asking.fixture.js';
import { World, settingKey, tenant, until, type HostHalf, type LedgerHalf } from './world.fixture.js';

const echo = { name: 'echo', inputSchema: { type: 'object' } };
const sum = { name: 'sum', inputSchema: { type: 'object' } };
const stdio = { transport: 'stdio', command: 'server' };

function written(answer: ServerWritten): ServerView {
  if (answer.kind !== 'written') throw new Error(JSON.stringify(answer));
  return answer.server;
}

withBothBuses('catalog-registry, its servers', (connect) => {
  let world: World;
  let ledger: LedgerHalf;
  let host: HostHalf;
  let gateway: Bus;
  let ask: Asking;

  beforeEach(async () => {
    world = new World(connect);
    ledger = await world.ledger();
    host = await world.host();
    gateway = await world.bus('gateway');
    ask = asking(gateway);
    host.tools.set('fs', [echo]);
  });
  afterEach(() => world.close());

  describe('start', () => {
    it('answers nothing, and says so, until the ledger has told the stored servers', async () => {
      ledger.broken = true;
      const registry = await world.registry({ mcp: { servers: { fs: stdio } } });
      const early = host.wanted('fs');
      expect(await registry.readiness()).toMatchObject({ ready: false });
      ledger.broken = false;
      expect(await early).toMatchObject({ name: 'fs', tenant });
      expect(await registry.readiness()).toEqual({ ready: true, problems: [] });
    });

    it('is not ready when stored servers were sealed with another key, and brings no file value back for them', async () => {
      const value = { kind: 'server', sealed: 'v1.AAAA' };
      ledger.settings.set(settingKey('server', 'fs'), {
        tenant,
        namespace: 'server',
        key: 'fs',
        revision: 1,
        value,
      });
      const registry = await world.registry({ mcp: { servers: { fs: stdio } } });
      expect(await ask.servers()).toEqual([]);
      expect((await registry.readiness()).problems).toEqual([
        'the stored server default/fs cannot be opened with the data key',
      ]);
      expect(await ask.put('fs', stdio)).toMatchObject({ kind: 'written', created: true });
      expect(await registry.readiness()).toMatchObject({ ready: true });
    });
  });

  describe('a server', () => {
    it('is put, listed by its host and shown to every gateway', async () => {
      await world.registry();
      const replicas = [await world.replica(gateway), await world.replica(await world.bus('gateway'))];
      host.tools.set('fs', [echo, sum]);
      const answer = await ask.put('fs', {
        ...stdio,
        env: { B: '2', A_TOKEN: 'x' },
        trust_annotations: true,
      });
      expect(answer).toMatchObject({ kind: 'written', created: true });
      expect(written(answer)).toMatchObject({
        connected: true,
        env_keys: ['A_TOKEN', 'B'],
        sandbox_effective: 'landlock',
        tools: ['fs__echo', 'fs__sum'],
        warnings: [{ code: 'literal_secret', key: 'A_TOKEN' }],
      });
      for (const replica of replicas) await until(replica, () => states(replica)['fs__sum'] === 'available');
      expect(replicas[0]?.version).toBe(replicas[1]?.version);
      expect(replicas[0]?.server(tenant, 'fs')).toMatchObject({
        status: 'ready',
        instances: [host.bus.instance],
        placement: 'shared',
        timeout_ms: 30_000,
      });
      expect(await ask.health()).toMatchObject({
        connected: 1,
        total_tools: 2,
        servers: [{ name: 'fs', tool_count: 2 }],
      });
      expect(await ask.put('fs', stdio)).toMatchObject({ kind: 'written', created: false });
      expect(ledger.actions()).toEqual(['server.put fs', 'server.put fs']);
    });

    it('is written with its receipt as one, whatever the write', async () => {
      await world.registry();
      await ask.put('fs', stdio);
      await ask.patch('fs', { timeout_ms: 5 });
      await ask.remove('fs');
      expect(ledger.receipts).toEqual(
        ['server.put fs', 'server.patch fs', 'server.delete fs'].map((action) => ({
          ...{ at: expect.any(String), kind: 'admin', tenant, principal: 'User::"default/dev"' },
          ...{ governance: 'on', profile: expect.any(String), action },
        })),
      );
    });

    it('is stored sealed and given to hosts with its values', async () => {
      await world.registry();
      await ask.put('fs', { ...stdio, args: ['--key=hunter2'], env: { TOKEN: 'hunter3' } });
      expect(JSON.stringify([...ledger.settings.values()])).not.toMatch(/hunter/);
      expect(await host.wanted('fs')).toMatchObject({ config: { env: { TOKEN: 'hunter3' } } });
      expect(JSON.stringify(await ask.servers())).not.toContain('hunter3');
    });

    it('survives a restart with the value the API set; the file drifts, and what the API deleted stays away', async () => {
      const file = { mcp: { servers: { fs: stdio, gone: stdio } } };
      const first = await world.registry(file);
      expect(await ask.patch('fs', { timeout_ms: 5 })).toMatchObject({
        kind: 'written',
        server: { drift: false },
      });
      expect(await ask.remove('gone')).toEqual({ kind: 'deleted' });
      await first.stop();
      const second = await world.registry(file);
      expect(await ask.servers()).toMatchObject([{ name: 'fs', timeout_ms: 5, drift: false }]);
      await second.stop();
      await world.registry({ mcp: { servers: { fs: { ...stdio, args: ['new'] }, gone: stdio } } });
      expect(await ask.servers()).toMatchObject([{ name: 'fs', timeout_ms: 5, args: [], drift: true }]);
      expect(await ask.remove('gone')).toMatchObject({ kind: 'not_found' });
    });

    it('is withdrawn when disabled, comes back when enabled, and leaves when deleted', async () => {
      await world.registry();
      const replica = await world.replica(gateway);
      host.tools.set('fs', [echo]);
      await ask.put('fs', stdio);
      await until(replica, () => names(replica).length === 1);
      const tried = host.tried.length;
      expect(await ask.patch('fs', { enabled: false })).toMatchObject({
        server: { connected: false, tools: [] },
      });
      await until(replica, () => names(replica).length === 0);
      expect(host.tried).toHaveLength(tried);
      expect(await ask.health()).toMatchObject({
        connected: 0,
        total_tools: 0,
        servers: [{ status: 'disabled' }],
      });
      expect(await ask.patch('fs', { enabled: true })).toMatchObject({ server: { tools: ['fs__echo'] } });
      await until(replica, () => states(replica)['fs__echo'] === 'available');
      expect(await ask.remove('fs')).toEqual({ kind: 'deleted' });
      await until(replica, () => names(replica).length === 0 && replica.server(tenant, 'fs') === undefined);
      expect(ledger.actions()).toEqual([
        'server.put fs',
        'server.patch fs',
        'server.patch fs',
        'server.delete fs',
      ]);
    });

    it('is merged by a patch: absent stays, null removes, and what does not connect is not tried', async () => {
      await world.registry();
      await ask.put('fs', { ...stdio, env: { A: '1', B: '2' }, tools: { deny: ['sum'] } });
      const tried = host.tried.length;
      expect(await ask.patch('fs', { tools: { overrides: { echo: { risk: 4 } } } })).toMatchObject({
        kind: 'written',
      });
      expect(host.tried).toHaveLength(tried);
      expect(await ask.patch('fs', { env: { B: null, C: '3' } })).toMatchObject({ kind: 'written' });
      expect(host.tried).toHaveLength(tried + 1);
      expect((await host.wanted('fs'))?.config).toMatchObject({
        env: { A: '1', C: '3' },
        tools: { deny: ['sum'], overrides: { echo: { risk: 4 } } },
      });
      expect(await ask.patch('fs', { nonsense: 1 })).toMatchObject({ kind: 'bad_shape' });
      expect(await ask.patch('fs', { command: null })).toMatchObject({ kind: 'bad_shape' });
      expect(await ask.patch('nobody', {})).toMatchObject({ kind: 'not_found' });
    });
  });
});
