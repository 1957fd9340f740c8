import { createHub, newInstanceId } from '@uar/bus';
import { hostBeat } from '@uar/contracts';
import { afterEach, expect, it } from 'vitest';
import { HostPulse } from './host-pulse.js';

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

it('tells of an instance that fell silent, and not of one that goes on beating', async () => {
  const hub = createHub();
  const pulse = new HostPulse(hub.connect({ service: 'gateway' }));
  const connector = hub.connect({ service: 'mcp-connector' });
  const [alive, dead, left] = [newInstanceId(), newInstanceId(), newInstanceId()];
  const beat = (instance: typeof alive): void => {
    connector.announce(hostBeat, { host: 'mcp', instance, at: Date.now(), stopping: false, servers: [] });
  };
  const beating = setInterval(() => beat(alive), 500);
  ends.push(
    () => clearInterval(beating),
    () => pulse.close(),
    () => void hub.close(),
  );
  beat(dead);
  const told: string[] = [];
  pulse.watch(alive, () => told.push('alive'));
  pulse.watch(left, () => told.push('left'))();
  const started = performance.now();
  await new Promise<void>((resolve) => {
    pulse.watch(dead, () => {
      told.push('dead');
      resolve();
    });
  });
  expect(told).toEqual(['dead']);
  expect(performance.now() - started).toBeGreaterThan(2_900);
});
