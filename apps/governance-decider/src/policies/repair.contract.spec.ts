import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { authorizeActions, readPolicies, type AdminAction, type Caller } from '@uar/contracts';
import { withInProcessBus } from '@uar/testkit';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { PolicyHome, ada, forbidOf, soon, tenant, uma } from './policy-desk.fixture.js';

vi.setConfig({ testTimeout: 90_000 });

const novel =
  'forbid (principal, action == UAR::Action::"callTool", resource)\n' +
  'when { context.env.profile == UAR::Profile::"novel" };\n';

withInProcessBus('a tenant whose set the platform refuses', (connect) => {
  const home = new PolicyHome(connect);
  let starter: Record<string, string>;
  let schema: string;
  let first: string;
  let stored: unknown;
  const schemaFile = () => join(home.folder, 'policies/schema.cedarschema');

  /** A platform under which `novel` is a policy, and a set of the API that holds it. */
  const writeNovel = async () => {
    await writeFile(schemaFile(), schema.replace('entity Profile enum [', 'entity Profile enum ["novel", '));
    await vi.waitUntil(
      async () =>
        (await home.put({ ...starter, 't/novel': novel }, { dry_run: true })).kind === 'would_write',
      { timeout: 25_000 },
    );
    const written = await home.put({ ...starter, 't/novel': novel });
    if (written.kind !== 'written') throw new Error(JSON.stringify(written));
  };

  const start = async () => {
    await writeFile(schemaFile(), schema);
    await home.start();
    await vi.waitUntil(async () => (await home.view()).problems.length > 0, { timeout: 25_000 });
  };

  beforeAll(async () => {
    await home.open();
    starter = await home.folderTexts();
    schema = await readFile(schemaFile(), 'utf8');
    first = await home.version();
    await writeNovel();
    await home.stop();
    stored = (await home.ledger.read('policies', 'set')).settings[0]?.value;
    await start();
  }, 120_000);
  afterAll(() => home.close());

  /** Whatever a test left: the decider starts again with a platform that does not know the attribute. */
  afterEach(async () => {
    await home.stop();
    await home.ledger.plant('policies', 'set', stored);
    await start();
  }, 120_000);

  const may = async (caller: Caller, action: AdminAction) => {
    const questions = [{ kind: 'admin' as const, action }, { kind: 'list_tools' as const }];
    const { decisions } = await home.ask(authorizeActions, { caller, questions });
    return decisions.map(({ kind }) => kind);
  };
  const lastAction = async () => (await home.ledger.receipts()).at(-1);

  it('says which texts fail and how to go back, to whoever may repair it by the set of the folder', async () => {
    expect(await may(ada, 'readPolicies')).toEqual(['allow', 'deny']);
    expect(await may(ada, 'managePolicies')).toEqual(['allow', 'deny']);
    expect(await may(ada, 'manageSettings')).toEqual(['deny', 'deny']);
    expect(await may(uma, 'managePolicies')).toEqual(['deny', 'deny']);
    const view = await home.view();
    expect(view).toMatchObject({ version: 'none', source: 'api' });
    expect(view.problems).toEqual([
      expect.objectContaining({ policy_id: 't/novel', line: 2, message: expect.stringContaining('novel') }),
      { message: expect.stringMatching(/if_version "none".*DELETE/) },
    ]);
    expect(view.policies.find(({ id }) => id === 't/novel')?.text).toBe(novel);
  });

  it('takes mended texts, with a receipt that says by which set and that none was in force', async () => {
    expect(await home.put({ ...starter, 't/new': forbidOf('x') }, { caller: uma })).toEqual({
      kind: 'denied',
    });
    expect(await home.put({ ...starter, 't/novel': novel })).toMatchObject({ kind: 'invalid' });
    const put = await home.put({ ...starter, 't/new': forbidOf('x') });
    expect(put).toMatchObject({ kind: 'written', view: { source: 'api', problems: [] } });
    expect(await lastAction()).toMatchObject({
      ...{ principal: 'User::"default/ada"', policy_version: first },
      action: expect.stringMatching(/^policies\.put sha256:[0-9a-f]{64} while none was in force$/),
    });
    expect(await may(ada, 'manageSettings')).toEqual(['allow', 'allow']);
  });

  it('goes back to the folder', async () => {
    const back = await home.put({}, { change: { kind: 'folder' } });
    expect(back).toMatchObject({ kind: 'written', view: { version: first, source: 'file', problems: [] } });
    expect((await lastAction())?.action).toMatch(/^policies\.delete .* while none was in force$/);
  });

  it('goes back to a version that was in force before', async () => {
    const back = await home.put({}, { change: { kind: 'version', version: first } });
    expect(back).toMatchObject({ kind: 'written', view: { version: first, source: 'api', problems: [] } });
  });

  it('is repaired by nobody whom the folder does not permit it, and the state says so', async () => {
    await home.stop();
    await rm(home.own('admin-administers'), { force: true });
    const texts = await home.folderTexts();
    for (const [id, text] of Object.entries(texts))
      if (text.includes('managePolicies')) await rm(home.own(id.slice(2)));
    await writeFile(home.own('broken'), 'permit (');
    await home.start();
    expect(await may(ada, 'managePolicies')).toEqual(['deny', 'deny']);
    await expect
      .poll(
        async () =>
          (await home.ask(readPolicies, { tenant })).kind === 'read' && (await home.view()).problems,
        soon,
      )
      .toContainEqual({ message: expect.stringContaining('t/broken') });
    await rm(home.own('broken'));
    for (const [id, text] of Object.entries(starter)) await writeFile(home.own(id.slice(2)), text);
  });

  it('and settings that cannot be read lets them be written anew, by what the files say', async () => {
    await home.put({}, { change: { kind: 'folder' } });
    expect(await may(ada, 'manageSettings')).toEqual(['allow', 'allow']);
    await home.ledger.plant('tenant', 'settings', { set: { kill_switch: 'yes' }, file: {} });
    const alone = async (caller: Caller, action: AdminAction) => {
      const reply = await home.gateway.ask(authorizeActions, {
        caller,
        questions: [{ kind: 'admin', action }],
      });
      return reply.kind === 'fault' ? reply.fault : reply.value.decisions[0]?.kind;
    };
    await vi.waitUntil(async () => (await alone(ada, 'readPolicies')) === 'faulted', { timeout: 25_000 });
    expect(await alone(ada, 'manageSettings')).toBe('allow');
    expect(await alone(uma, 'manageSettings')).toBe('deny');
    await home.ledger.plant('tenant', 'settings', { set: { kill_switch: false }, file: {} });
    await vi.waitUntil(async () => (await alone(ada, 'readPolicies')) === 'allow', { timeout: 25_000 });
  });

  it('whose set cannot be read is repaired in the same way', async () => {
    await home.stop();
    await home.ledger.plant('policies', 'set', { policies: 'all' });
    await home.start();
    await vi.waitUntil(async () => (await may(ada, 'managePolicies'))[0] === 'allow', { timeout: 25_000 });
    expect(await home.put(starter)).toMatchObject({
      kind: 'written',
      view: { version: first, source: 'api' },
    });
    expect((await lastAction())?.action).toMatch(/ over a set that could not be read$/);
  });
});
