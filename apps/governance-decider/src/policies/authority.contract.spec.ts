import { rm, writeFile } from 'node:fs/promises';
import { authorizeActions, listPolicyVersions } from '@uar/contracts';
import { withInProcessBus } from '@uar/testkit';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { PolicyHome, forbidOf, soon, tenant, uma } from './policy-desk.fixture.js';

// Each test rehearses sets, which takes seconds where many specs run at once.
vi.setConfig({ testTimeout: 60_000 });

withInProcessBus('policies in force', (connect) => {
  const home = new PolicyHome(connect);
  let starter: Record<string, string>;
  beforeAll(async () => {
    await home.open();
    starter = await home.folderTexts();
  }, 120_000);
  afterAll(() => home.close());
  // Each test begins with the folder in force.
  beforeEach(async () => {
    const view = await home.view();
    if (view.source === 'api') await home.put({}, { change: { kind: 'folder' }, if_version: view.version });
  });

  const mayListTools = async () => {
    const { decisions } = await home.ask(authorizeActions, {
      caller: uma,
      questions: [{ kind: 'list_tools' }],
    });
    return decisions[0]?.kind;
  };

  it('written by API win over the folder, whose edits show as drift, until authority goes back', async () => {
    const written = await home.put({ ...starter, 't/new': forbidOf('x') });
    expect(written.kind).toBe('written');
    await writeFile(home.own('from-file'), forbidOf('file'));
    await expect.poll(async () => (await home.view()).drift, soon).toBe(true);
    const ids = (await home.view()).policies.map(({ id }) => id);
    expect(ids).toContain('t/new');
    expect(ids).not.toContain('t/from-file');
    const back = await home.put({}, { change: { kind: 'folder' } });
    expect(back).toMatchObject({ kind: 'written', view: { source: 'file', drift: false } });
    expect((await home.view()).policies.map(({ id }) => id)).toContain('t/from-file');
    expect((await home.ledger.receipts()).at(-1)?.action).toMatch(/^policies\.delete sha256:/);
    await rm(home.own('from-file'));
    await expect
      .poll(async () => (await home.view()).policies.map(({ id }) => id), soon)
      .not.toContain('t/from-file');
    expect(await home.put({}, { change: { kind: 'folder' } })).toMatchObject({ kind: 'not_found' });
  });

  it('can go back to a version that was in force', async () => {
    const first = await home.version();
    const written = await home.put({ ...starter, 't/new': forbidOf('x') });
    expect(written.kind).toBe('written');
    const second = await home.version();
    const listed = await home.ask(listPolicyVersions, { tenant });
    if (listed.kind !== 'listed') throw new Error(listed.kind);
    expect(listed.versions.slice(0, 2)).toEqual([
      expect.objectContaining({ version: second, source: 'api', by: 'User::"default/ada"', active: true }),
      expect.objectContaining({ version: first, source: 'file', active: false }),
    ]);
    const back = await home.put({}, { change: { kind: 'version', version: first } });
    expect(back).toMatchObject({ kind: 'written', view: { version: first, source: 'api' } });
    expect(
      await home.put({}, { change: { kind: 'version', version: `sha256:${'1'.repeat(64)}` } }),
    ).toMatchObject({
      kind: 'not_found',
    });
  });

  it('are refused while a guard of the platform is missing, and the old ones decide', async () => {
    const { policies, version } = await home.view();
    const guard = policies.find(({ id }) => id === 'p/kill-switch')?.text ?? '';
    await rm(home.platform('kill-switch'));
    await expect
      .poll(async () => (await home.view()).problems, soon)
      .toContainEqual(expect.objectContaining({ policy_id: 'p/kill-switch' }));
    const refused = await home.put({ ...starter, 't/new': forbidOf('x') });
    expect(refused).toMatchObject({
      kind: 'invalid',
      findings: { errors: [expect.objectContaining({ policy_id: 'p/kill-switch' })] },
    });
    expect(await home.running?.readiness()).toEqual({
      ready: true,
      problems: expect.arrayContaining([expect.stringContaining('p/kill-switch')]),
    });
    expect(await home.version()).toBe(version);
    await writeFile(home.platform('kill-switch'), guard);
    await expect.poll(async () => (await home.view()).problems, soon).toEqual([]);
  });

  it('are those that were written when the decider starts again, and none before it knows what was written', async () => {
    const written = await home.put({ ...starter, 't/new': forbidOf('x') });
    expect(written.kind).toBe('written');
    const version = await home.version();
    await home.stop();
    home.ledger.isAway = true;
    await home.start();
    expect(await home.view()).toMatchObject({ version: 'none', policies: [] });
    expect(await mayListTools()).toBe('deny');
    expect((await home.running?.readiness())?.ready).toBe(false);
    home.ledger.isAway = false;
    await expect.poll(() => home.version(), soon).toBe(version);
    expect(await home.view()).toMatchObject({ source: 'api' });
  });

  it('deny everything where what was written cannot be read: the folder does not step in', async () => {
    await home.stop();
    await home.ledger.plant('policies', 'set', { policies: 'all' });
    await home.start();
    expect(await home.view()).toMatchObject({
      ...{ version: 'none', source: 'api' },
      problems: [
        expect.objectContaining({ message: expect.stringContaining('cannot be read') }),
        { message: expect.stringContaining('go back to the folder') },
      ],
    });
    expect(await mayListTools()).toBe('deny');
    await home.ledger.plant('policies', 'set', null);
    await expect.poll(mayListTools, soon).toBe('allow');
    expect((await home.view()).source).toBe('file');
  });
});
