import { policiesChanged, authorizeActions, validatePolicies } from '@uar/contracts';
import { withBothBuses } from '@uar/testkit';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { PolicyHome, forbidOf, tenant, uma } from './policy-desk.fixture.js';

const without = (texts: Record<string, string>, id: string) =>
  Object.fromEntries(Object.entries(texts).filter(([other]) => other !== id));

// Each test rehearses sets, which takes seconds where many specs run at once.
vi.setConfig({ testTimeout: 60_000 });

withBothBuses('policies of a tenant', (connect) => {
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

  const validate = async (policies: Record<string, string>) => {
    const answer = await home.ask(validatePolicies, { tenant, policies });
    if (answer.kind !== 'checked') throw new Error(answer.kind);
    return answer.findings;
  };
  const mayListTools = async () => {
    const { decisions } = await home.ask(authorizeActions, {
      caller: uma,
      questions: [{ kind: 'list_tools' }],
    });
    return decisions[0]?.kind;
  };

  it('are shown as they are in force', async () => {
    const view = await home.view();
    expect(view).toMatchObject({ drift: false, source: 'file', problems: [] });
    expect(view.version).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(view.policies.find(({ id }) => id === 't/user-list')).toEqual({
      id: 't/user-list',
      tier: 'tenant',
      text: starter['t/user-list'],
      annotations: { id: 't/user-list', reason: 'role user opens lists, runs and sessions' },
    });
    expect(view.policies.find(({ id }) => id === 'p/kill-switch')?.tier).toBe('platform');
  });

  it('are checked without a change, and what is wrong has its place and what was meant', async () => {
    expect(await validate(starter)).toEqual({ errors: [], warnings: [] });
    const text = 'forbid (principal, action, resource)\nwhen { resource.readOnyl };';
    expect((await validate({ ...starter, 't/new': text })).errors).toEqual([
      expect.objectContaining({
        policy_id: 't/new',
        line: 2,
        suggestion: expect.stringContaining('readOnly'),
      }),
    ]);
    const { errors } = await validate({ 't/new': 'permit (principal' });
    expect(errors).toEqual([
      expect.objectContaining({ policy_id: 't/new', line: 1, column: expect.any(Number) }),
    ]);
    expect((await home.view()).source).toBe('file');
  });

  it('belong to the tenant: policies of the platform are taken as they are or not at all', async () => {
    const { policies } = await home.view();
    const platform = Object.fromEntries(
      policies.filter(({ tier }) => tier === 'platform').map(({ id, text }) => [id, text]),
    );
    expect((await validate({ ...starter, ...platform })).errors).toEqual([]);
    const changed = {
      ...starter,
      'p/kill-switch': `${platform['p/kill-switch'] ?? ''} `,
      'p/more': forbidOf('x'),
    };
    expect((await validate(changed)).errors.map(({ policy_id }) => policy_id)).toEqual([
      'p/kill-switch',
      'p/more',
    ]);
    expect((await validate({ 'No Slash': forbidOf('x') })).errors).toEqual([
      expect.objectContaining({ policy_id: 'No Slash', suggestion: 't/no-slash' }),
    ]);
  });

  it('are replaced as a whole, with a receipt, and decide from then on', async () => {
    const told = new Promise<string>((resolve) => {
      const end = home.gateway.listen(policiesChanged, ({ version }) => {
        resolve(version);
        end();
      });
    });
    await home.gateway.flush();
    const others = without(starter, 't/user-list');
    const before = await home.version();
    expect(await mayListTools()).toBe('allow');
    const written = await home.put(others);
    if (written.kind !== 'written') throw new Error(JSON.stringify(written));
    expect(written.view).toMatchObject({ source: 'api', drift: false, problems: [] });
    expect(written.view.version).not.toBe(before);
    expect(await told).toBe(written.view.version);
    expect(await mayListTools()).toBe('deny');
    expect((await home.ledger.receipts()).at(-1)).toMatchObject({
      ...{ kind: 'admin', principal: 'User::"default/ada"', policy_version: before },
      action: `policies.put ${written.view.version}`,
    });
  });

  it('are not changed by a dry run, which tells what would be', async () => {
    const others = without(starter, 't/user-list');
    const receipts = (await home.ledger.receipts()).length;
    const policies = { ...others, 't/new': forbidOf('x'), 't/user-use': `${starter['t/user-use'] ?? ''}\n` };
    const answer = await home.put(policies, { dry_run: true });
    expect(answer).toMatchObject({
      kind: 'would_write',
      view: {
        dry_run: true,
        differences: { added: ['t/new'], removed: ['t/user-list'], changed: ['t/user-use'] },
      },
    });
    expect((await home.view()).source).toBe('file');
    expect((await home.ledger.receipts()).length).toBe(receipts);
  });

  it('are refused for their faults first, then for the version, then by policy, which leaves a receipt', async () => {
    const stale = `sha256:${'0'.repeat(64)}`;
    const kindOf = async (policies: Record<string, string>, if_version?: string) =>
      (await home.put(policies, { caller: uma, ...(if_version === undefined ? {} : { if_version }) })).kind;
    const version = await home.version();
    expect(await kindOf({ 't/new': 'nonsense' }, stale)).toBe('invalid');
    // What is wrong names tools and their arguments, which whoever may not manage policies may not even discover.
    expect(await home.put({ 't/new': 'nonsense' }, { caller: uma })).toEqual({
      kind: 'invalid',
      findings: { errors: [], warnings: [] },
    });
    expect(await home.put(starter, { caller: uma, if_version: stale })).toEqual({
      kind: 'conflict',
      version,
    });
    expect(await kindOf(starter)).toBe('denied');
    expect((await home.ledger.receipts()).at(-1)).toMatchObject({
      ...{ kind: 'admin', principal: 'User::"default/uma"', outcome: 'policy_denied', effect: 'did_not_run' },
      action: expect.stringMatching(/^policies\.put sha256:/),
    });
    expect(await home.version()).toBe(version);
  });

  it('of two writers at once take one, and tell the other', async () => {
    const if_version = await home.version();
    const answers = await Promise.all([
      home.put({ ...starter, 't/one': forbidOf('one') }, { if_version }),
      home.put({ ...starter, 't/two': forbidOf('two') }, { if_version }),
    ]);
    expect(answers.map(({ kind }) => kind).toSorted()).toEqual(['conflict', 'written']);
    const version = await home.version();
    expect(answers).toContainEqual({ kind: 'conflict', version });
  });

  it('stay as they are when the ledger does not take the new ones', async () => {
    const before = await home.view();
    home.ledger.isFull = true;
    const answer = await home.put({ ...starter, 't/new': forbidOf('x') });
    home.ledger.isFull = false;
    expect(answer).toMatchObject({ kind: 'unavailable' });
    expect(await home.view()).toEqual(before);
  });
});
