import { expect, it } from 'vitest';
import { HandClock } from '../hand-clock.fixture.js';
import type { Notice } from '../client-side.js';
import { Notices } from './notices.js';

function start(): { clock: HandClock; notices: Notices; passed: string[]; end: AbortController } {
  const clock = new HandClock();
  const passed: string[] = [];
  const end = new AbortController();
  const pass = ({ method, paramsJson }: Notice): void => void passed.push(`${method} ${paramsJson}`);
  return { clock, notices: new Notices({ clock, signal: end.signal, pass }), passed, end };
}
const updated = (uri: number): Notice => ({
  ...{ method: 'notifications/resources/updated', paramsJson: `{"uri":"x:${uri}"}` },
});
const message: Notice = { method: 'notifications/message', paramsJson: '{}' };

it('makes one of changes alike, and never loses the last one', async () => {
  const { clock, notices, passed } = start();
  for (let count = 0; count < 10_000; count += 1) notices.tell(updated(count % 2));
  await clock.pass(50);
  expect(passed).toEqual([0, 1].map((uri) => `${updated(uri).method} {"uri":"x:${uri}"}`));
  notices.tell(updated(1));
  await clock.pass(50);
  expect(passed.length).toBe(3);
});

it('gathers a bounded number of different changes', async () => {
  const { clock, notices, passed } = start();
  for (let count = 0; count < 10_000; count += 1) notices.tell(updated(count));
  await clock.pass(50);
  expect(passed.length).toBe(256);
});

it('lets messages pass at once, of a flood no more than its beginning and a rate', async () => {
  const { clock, notices, passed } = start();
  for (let count = 0; count < 5_000; count += 1) notices.tell(message);
  expect(passed.length).toBe(1_000);
  await clock.pass(1_000);
  for (let count = 0; count < 5_000; count += 1) notices.tell(message);
  expect(passed.length).toBe(1_200);
});

it('tells no change of a connection that is over', async () => {
  const { clock, notices, passed, end } = start();
  notices.tell(updated(1));
  end.abort();
  await clock.pass(50);
  expect(passed).toEqual([]);
});
