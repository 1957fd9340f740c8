import { withBothBuses } from '@uar/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { World } from '../connector.fixture.js';
import { Gateway, principals } from './gateway.fixture.js';
import { itemServer } from './items.fixture.js';

withBothBuses('a call whose upstream asks its client', (connect) => {
  let world: World;
  let gateway: Gateway;
  let whose: { principal: string; seat: ReturnType<Gateway['seat']> };
  beforeAll(async () => {
    world = await World.start(connect, { own: itemServer({}, { placement: 'per_principal' }) });
    gateway = await Gateway.start(await connect('gateway'));
    whose = { principal: principals.alice, seat: gateway.seat('s', { roots: {} }) };
    await world.untilReady('own');
    await world.textOf('own', 'state', {}, whose);
  });
  afterAll(() => world.stop());

  const calling = async (tool: string, method: string, more: object = {}) =>
    world.send(await world.ask('own', tool, { args: { method, params: '{}' }, ...whose, ...more }));

  it('is not charged with the time in which its client is asked, and with all other', async () => {
    gateway.say = async () => {
      await new Promise((resolve) => setTimeout(resolve, 600));
      return { kind: 'answered', result_json: '{"roots":[]}' };
    };
    expect(await calling('ask', 'roots/list', { timeout_ms: 400 })).toMatchObject({ kind: 'ran' });
    expect(await calling('never', 'roots/list', { timeout_ms: 50 })).toEqual({ kind: 'timeout' });
  });

  it('says, where it failed, what was asked for that its seat does not declare', async () => {
    gateway.say = () => ({ kind: 'answered', result_json: '{"roots":[]}' });
    const failed = { kind: 'upstream_error', code: -1, message: 'none' };
    expect(await calling('need', 'sampling/createMessage')).toEqual({ ...failed, lacking: ['sampling'] });
    expect(await calling('need', 'roots/list')).toEqual(failed);
  });
});
