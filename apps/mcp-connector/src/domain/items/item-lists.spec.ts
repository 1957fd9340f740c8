import { longestItemId } from '@uar/contracts';
import { expect, it } from 'vitest';
import { HandClock, settle } from '../hand-clock.fixture.js';
import type { ListPage } from '../upstream.js';
import { ItemLists } from './item-lists.js';

const signal = new AbortController().signal;
const page = (definitions: readonly string[], nextCursor?: string): ListPage => ({
  ...{ kind: 'page', definitions },
  ...(nextCursor === undefined ? {} : { nextCursor }),
});

function start(tells: boolean, answer: (cursor: string | undefined) => ListPage | Promise<ListPage>) {
  const clock = new HandClock();
  const asked: string[] = [];
  const lists = new ItemLists({
    ...{ clock, signal },
    upstream: {
      offers: { logging: false, resourcesChange: tells, promptsChange: false },
      listPage: async (list, cursor) => {
        asked.push(list);
        return await answer(cursor);
      },
    },
  });
  return { clock, asked, lists };
}

it('reads once for all who ask, and again when a change was told, also during the reading', async () => {
  let answer: (list: ListPage) => void = () => undefined;
  const { clock, asked, lists } = start(true, () => new Promise((resolve) => (answer = resolve)));
  const both = Promise.all([lists.read('resources'), lists.read('resources')]);
  await settle();
  lists.changed('resources');
  const later = lists.read('resources');
  answer(page(['{"uri":"x:2"}']));
  expect(await later).toMatchObject({ list: { definitions: ['{"uri":"x:2"}'] } });
  expect(asked).toEqual(['resources', 'resources']);
  await clock.pass(3_600_000);
  await lists.read('resources');
  lists.changed('prompts');
  await lists.read('resources');
  expect(asked.length).toBe(2);
  void both;
});

it('reads again after 30 s where the upstream does not tell', async () => {
  const { clock, asked, lists } = start(false, () => page([]));
  await lists.read('prompts');
  await clock.pass(29_999);
  await lists.read('prompts');
  expect(asked.length).toBe(1);
  await clock.pass(1);
  await lists.read('prompts');
  expect(asked.length).toBe(2);
});

it('keeps no failure', async () => {
  let isBroken = true;
  const { lists } = start(true, () => (isBroken ? { kind: 'failed', message: 'broken' } : page([])));
  expect(await lists.read('templates')).toEqual({ kind: 'failed', message: 'broken' });
  isBroken = false;
  expect(await lists.read('templates')).toMatchObject({ kind: 'list' });
});

it('leaves out what cannot be asked for or shown, and what is beyond the bounds', async () => {
  const bad = ['{}', '5', '{"uri":1}', '{"uri":""}', '{"uri":"x:a","uri":"x:b"}'];
  const long = `{"uri":"${'x'.repeat(longestItemId + 1)}"}`;
  const large = `{"uri":"x:large","a":"${'a'.repeat(65_536)}"}`;
  const { lists } = start(true, () => page([...bad, long, large, '{"uri":"x:a"}', '{"uri":"x:a","b":1}']));
  expect(await lists.read('resources')).toMatchObject({ list: { definitions: ['{"uri":"x:a"}'] } });
  const endless = start(true, (cursor) => {
    const next = Number(cursor ?? 0) + 1_000;
    return page(
      Array.from({ length: 1_000 }, (_, index) => `{"uri":"x:${next + index}"}`),
      `${next}`,
    );
  });
  const read = await endless.lists.read('resources');
  expect(read.kind === 'list' && read.list.definitions.length).toBe(5_000);
  expect(endless.asked.length).toBe(5);
  const text = 'a'.repeat(65_000);
  const heavy = start(true, () =>
    page(Array.from({ length: 400 }, (_, index) => `{"uri":"x:${index}","t":"${text}"}`)),
  );
  const cut = await heavy.lists.read('resources');
  expect(cut.kind === 'list' && cut.list.definitions.length).toBe(259);
});
