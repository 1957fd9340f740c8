import type { Bus } from '@uar/bus';
import {
  CatalogServer,
  InstanceId,
  authorizeActions,
  decideItem,
  listItems,
  policiesChanged,
  runItem,
  type AskOf,
  type Item,
} from '@uar/contracts';
import { withBothBuses } from '@uar/testkit';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { HostPulse } from '../adapters/bus/host-pulse.js';
import { BusHosts } from '../adapters/bus/hosts.js';
import { BusPdp } from '../adapters/bus/pdp.js';
import { caller, tenant } from '../domain/call-spec/facts.fixture.js';
import { World } from '../domain/call-spec/world.fixture.js';
import { assembleItems } from './items.js';

const nobody = InstanceId.parse('0'.repeat(16));
const uri = (index: number) => `file:///${index}`;

withBothBuses('items of the gateway', (connect) => {
  let pdp: Bus;
  let buses: Bus[];
  let assembled: ReturnType<typeof assembleItems>;
  let hidden: readonly string[];
  let questions: string[][];
  let requests: AskOf<typeof runItem>[];
  let ends: (() => void)[];

  beforeEach(async () => {
    const bus = await connect('gateway');
    pdp = await connect('governance-decider');
    const host = await connect('mcp-connector');
    buses = [bus, pdp, host];
    [hidden, questions, requests] = [[], [], []];
    pdp.answer(authorizeActions, (ask) => {
      const asked = ask.questions.flatMap((it) => (it.kind === 'item' ? [it.item.id] : []));
      questions.push(asked);
      const decisions = asked.map((id) =>
        hidden.includes(id)
          ? { kind: 'deny' as const, cause: 'forbidden', determining: [] }
          : { kind: 'allow' as const },
      );
      return { policy_version: 'v1', decisions };
    });
    pdp.answer(decideItem, ({ question }) => {
      const said = { policy_version: 'v1', determining: [], governance: 'on' as const };
      if (hidden.includes(question.item.id)) return { kind: 'deny', ...said, cause: 'forbidden' };
      return { kind: 'allow', ...said, grant: `grant of ${question.item.id}` };
    });
    host.answer(listItems, ({ from }) => {
      const start = from?.start ?? 0;
      const definitions = Array.from({ length: 150 }, (_, index) =>
        JSON.stringify({ uri: uri(start + index) }),
      );
      const next = start < 300 ? { next: start + 150 } : {};
      return { kind: 'listed', list_digest: 'd', definitions, ...next };
    });
    host.answer(runItem, (request) => {
      requests.push(request);
      return { kind: 'ran', result_json: '{"contents":[]}', is_error: false };
    });
    await Promise.all([pdp.flush(), host.flush()]);
    const hosts = new BusHosts(bus, new HostPulse(bus));
    const busPdp = new BusPdp(bus);
    const world = new World();
    world.decideItemWith = (ask) => busPdp.decideItem(ask, 2_000);
    world.reply = (call, instance) => {
      if (!('item_id' in call)) throw new Error('no tool is called here');
      return hosts.runItem({ host: 'mcp', instance: InstanceId.parse(instance) }, call, 5_000);
    };
    world.instances = [nobody, host.instance];
    const replica = {
      ready: true,
      servers: () => [CatalogServer.parse(world.server(tenant, 'srv'))],
    };
    assembled = assembleItems({
      ...{ bus, replica, hosts, pdp: busPdp, runs: world, pipeline: world.pipeline },
    });
    ends = [assembled.stopItems, () => hosts.close()];
    await bus.flush();
  });
  afterEach(async () => {
    for (const end of ends) end();
    await Promise.all(buses.map((bus) => bus.close()));
  });

  const ids = async (): Promise<string[]> => {
    const listed = await assembled.items.list(caller, 'resources');
    if (listed.kind !== 'listed') throw new Error(listed.kind);
    return listed.servers.flatMap(({ definitions }) =>
      definitions.map((text) => Object(JSON.parse(text)).uri),
    );
  };

  it('are listed page by page by the host that has them, and shown as far as they may be read', async () => {
    hidden = [uri(7), uri(449)];
    const shown = await ids();
    expect(shown.length).toBe(448);
    expect(shown).not.toContain(uri(7));
    expect(questions.map((asked) => asked.length)).toEqual([200, 200, 50]);
  });

  it('are asked about once, and again when a policy changed', async () => {
    await ids();
    await ids();
    expect(questions.length).toBe(3);
    hidden = [uri(0)];
    pdp.announce(policiesChanged, { tenant, version: 'v2' });
    await expect.poll(async () => (await ids()).length).toBe(449);
  });

  it('are read at the host that has them, under a grant of their own', async () => {
    const item: Item = { kind: 'resource', server: 'srv', id: uri(1) };
    const ask = { caller, method: 'resources/read' as const, item, paramsJson: `{"uri":"${uri(1)}"}` };
    // One of the two placements in turn meets the instance that is gone.
    for (const { ended } of [assembled.items.request(ask), assembled.items.request(ask)])
      expect(await ended).toMatchObject({ outcome: 'completed', resultJson: '{"contents":[]}' });
    expect(requests.map(({ grant, item_id, method }) => [grant, item_id, method])).toEqual(
      [1, 2].map(() => [`grant of ${uri(1)}`, uri(1), 'resources/read']),
    );
    hidden = [uri(1)];
    expect(await assembled.items.request(ask).ended).toMatchObject({ outcome: 'policy_denied' });
    await pdp.close();
    expect(await assembled.items.request(ask).ended).toMatchObject({ outcome: 'unavailable' });
    expect(requests.length).toBe(2);
  });
});
