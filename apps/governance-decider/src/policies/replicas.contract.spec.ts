import { withBothBuses } from '@uar/testkit';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { readGovernanceStatus } from '@uar/contracts';
import { PolicyHome, forbidOf, soon } from './policy-desk.fixture.js';

// Each test rehearses sets, which takes seconds where many specs run at once.
vi.setConfig({ testTimeout: 60_000 });

withBothBuses('two replicas of the decider', (connect) => {
  const home = new PolicyHome(connect);
  let starter: Record<string, string>;
  beforeAll(async () => {
    await home.open();
    await home.start();
    starter = await home.folderTexts();
  }, 120_000);
  afterAll(() => home.close());

  /** Versions that both tell, asked until either has had its turn. */
  const versions = async (): Promise<ReadonlySet<string>> => {
    const asked = Array.from(
      { length: 24 },
      async () => (await home.ask(readGovernanceStatus, {})).sets[0]?.version,
    );
    return new Set((await Promise.all(asked)).map(String));
  };

  it('come to decide by what was written through either', async () => {
    const written = await home.put({ ...starter, 't/new': forbidOf('x') });
    if (written.kind !== 'written') throw new Error(JSON.stringify(written));
    await expect.poll(versions, soon).toEqual(new Set([written.view.version]));
  });

  it('let one of several writers win, and never lose what was written before', async () => {
    const if_version = await home.version();
    const names = ['a', 'b', 'c', 'd'];
    const answers = await Promise.all(
      names.map((name) => home.put({ ...starter, [`t/${name}`]: forbidOf(name) }, { if_version })),
    );
    expect(answers.map(({ kind }) => kind).toSorted()).toEqual([
      'conflict',
      'conflict',
      'conflict',
      'written',
    ]);
    const won = answers.flatMap((answer) => (answer.kind === 'written' ? [answer.view.version] : []));
    await expect.poll(versions, soon).toEqual(new Set(won));
  });

  it('take at either what the other has just put in force', async () => {
    let if_version = await home.version();
    for (const name of ['e', 'f', 'g', 'h']) {
      const written = await home.put({ ...starter, [`t/${name}`]: forbidOf(name) }, { if_version });
      if (written.kind !== 'written') throw new Error(JSON.stringify(written));
      if_version = written.view.version;
    }
  });
});
