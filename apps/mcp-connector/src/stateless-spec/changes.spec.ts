import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { principals } from '../contract-spec/gateway.fixture.js';
import { listOf, runResource } from '../contract-spec/items.fixture.js';
import { StatelessWorld } from './stateless-world.fixture.js';

const { alice } = principals;
const ran = { kind: 'ran' };

describe.each(['http', 'stdio'] as const)('what a server without sessions tells, over %s', (over) => {
  let stateless: StatelessWorld;
  beforeAll(async () => {
    stateless = await StatelessWorld.start(over);
  });
  afterAll(() => stateless.stop());

  it('is heard of its lists, once for all', async () => {
    const { world, gateway } = stateless;
    expect(await listOf(world, 'shared', 'resources')).toHaveLength(2);
    gateway.told.length = 0;
    expect(await world.run('shared', 'change')).toMatchObject(ran);
    await expect
      .poll(() => gateway.told.map(({ server, method, params_json }) => [server, method, params_json]))
      .toEqual(
        expect.arrayContaining([
          ['shared', 'notifications/resources/list_changed', '{}'],
          ['shared', 'notifications/prompts/list_changed', '{}'],
        ]),
      );
  });

  it('is heard of a resource by who subscribed to it', async () => {
    const { world, gateway } = stateless;
    const seat = gateway.seat('subscribed');
    const whose = { seat, claims: { principal: alice } };
    const touch = async (uri: string): Promise<void> => {
      expect(await world.run('own', 'touch', { args: { uri }, principal: alice, seat })).toMatchObject(ran);
    };
    expect(await runResource(world, 'resources/subscribe', ['own', 'test://a'], whose)).toMatchObject(ran);
    expect(await runResource(world, 'resources/subscribe', ['own', 'test://b'], whose)).toMatchObject(ran);
    gateway.told.length = 0;
    await touch('test://other');
    await touch('test://a');
    await touch('test://b');
    await expect
      .poll(() => gateway.toldOf('notifications/resources/updated'))
      .toEqual(['{"uri":"test://a"}', '{"uri":"test://b"}']);
    expect(gateway.told[0]).toMatchObject({ seat: { id: 'subscribed', principal: alice } });
    const touchedLast = '{"uri":"test://b"}';
    await runResource(world, 'resources/unsubscribe', ['own', 'test://a'], whose);
    await expect
      .poll(async () => {
        gateway.told.length = 0;
        await touch('test://a');
        await touch('test://b');
        await expect.poll(() => gateway.toldOf('notifications/resources/updated')).toContain(touchedLast);
        return gateway.toldOf('notifications/resources/updated');
      })
      .toEqual([touchedLast]);
  });
});
