import { withBothBuses } from '@uar/testkit';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { World } from '../connector.fixture.js';
import { Gateway, principals, stateOf } from './gateway.fixture.js';
import { itemServer } from './items.fixture.js';

const { alice } = principals;

withBothBuses('what an upstream asks and waits for no more', (connect) => {
  let world: World;
  let gateway: Gateway;
  let whose: { principal: string; seat: ReturnType<Gateway['seat']> };
  beforeAll(async () => {
    world = await World.start(connect, {
      own: itemServer({}, { placement: 'per_principal', concurrency: 4 }),
    });
    gateway = await Gateway.start(await connect('gateway'));
    gateway.say = () => new Promise(() => undefined);
    whose = { principal: alice, seat: gateway.seat('s', { roots: {} }) };
    await world.untilReady('own');
  });
  afterAll(() => world.stop());
  beforeEach(() => {
    for (const list of [gateway.asked, gateway.withdrawn]) list.length = 0;
  });

  /** A call during which the upstream asked its client, which says nothing. */
  async function asked() {
    const args = { method: 'roots/list', params: '{}' };
    const answer = world.send(await world.ask('own', 'ask_and_wait', { args, ...whose }));
    await expect.poll(() => gateway.asked.length).toBe(1);
    const [{ seat_id, ask_id } = { seat_id: '', ask_id: '' }] = gateway.asked;
    return { answer, ask: { seat_id, ask_id } };
  }

  it('is withdrawn when the upstream takes it back, and the call goes on', async () => {
    const { answer, ask } = await asked();
    await world.run('own', 'take_back', whose);
    await expect.poll(() => gateway.withdrawn).toEqual([ask]);
    await world.run('own', 'give_up', whose);
    expect(await answer).toMatchObject({ kind: 'ran' });
  });

  it('is withdrawn when the process of the upstream ends', async () => {
    const { pid } = await stateOf(world, 'own', whose);
    const { answer, ask } = await asked();
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => gateway.withdrawn).toEqual([ask]);
    expect(await answer).toMatchObject({ kind: 'transport_failure' });
  });
});
