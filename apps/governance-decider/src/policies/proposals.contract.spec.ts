import {
  StoredProposal,
  listProposals,
  proposePolicies,
  readProposal,
  withdrawProposal,
  writePolicies,
  type Caller,
} from '@uar/contracts';
import { withInProcessBus } from '@uar/testkit';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { PolicyHome, ada, bob, forbidOf, tenant, uma } from './policy-desk.fixture.js';

// Each test rehearses sets, which takes seconds where many specs run at once.
vi.setConfig({ testTimeout: 120_000 });

withInProcessBus('proposals of policies, where duties are separate', (connect) => {
  const home = new PolicyHome(connect, 'server-full');
  let starter: Record<string, string>;
  beforeAll(async () => {
    await home.open();
    starter = await home.folderTexts();
  }, 120_000);
  afterAll(() => home.close());

  const propose = async (by: Caller, policies: Record<string, string>, note?: string) =>
    home.ask(proposePolicies, {
      ...{ principal: by.principal, policies, if_version: await home.version() },
      ...(note === undefined ? {} : { note }),
    });
  const proposed = async (by: Caller, policies: Record<string, string>, note?: string) => {
    const answer = await propose(by, policies, note);
    if (answer.kind !== 'proposed') throw new Error(JSON.stringify(answer));
    return answer.proposal;
  };
  const activate = async (by: Caller, proposal_id: string) =>
    home.ask(writePolicies, {
      ...{ caller: by, change: { kind: 'proposal', proposal_id }, dry_run: false },
      if_version: await home.version(),
    });
  const waiting = async () => {
    const answer = await home.ask(listProposals, { tenant });
    if (answer.kind !== 'listed') throw new Error(answer.kind);
    return answer.proposals.map(({ proposal_id }) => proposal_id);
  };

  it('do not let anybody put in force what they wrote themselves', async () => {
    expect(await home.put({ ...starter, 't/new': forbidOf('x') })).toEqual({ kind: 'denied' });
    expect((await home.ledger.receipts()).at(-1)).toMatchObject({
      ...{ kind: 'admin', outcome: 'policy_denied', policies: ['p/activate-sod'] },
    });
    expect((await home.view()).source).toBe('file');
  });

  it('are kept with their author and what they would change, and are activated by somebody else, once', async () => {
    const proposal = await proposed(ada, { ...starter, 't/new': forbidOf('x') }, 'x is down');
    expect(proposal).toMatchObject({
      ...{ author: 'User::"default/ada"', note: 'x is down', if_version: await home.version() },
      differences: { added: ['t/new'], removed: [], changed: [] },
    });
    const id = proposal.proposal_id;
    expect((await home.ledger.receipts()).at(-1)?.action).toBe(`policies.propose ${id}`);
    expect(await waiting()).toEqual([id]);
    expect(await home.ask(readProposal, { tenant, proposal_id: id })).toMatchObject({
      kind: 'found',
      policies: { 't/new': forbidOf('x') },
    });
    expect(await activate(ada, id)).toEqual({ kind: 'denied' });
    expect(await activate(uma, id)).toEqual({ kind: 'denied' });
    const written = await activate(bob, id);
    expect(written).toMatchObject({ kind: 'written', view: { source: 'api' } });
    expect((await home.view()).policies.map((policy) => policy.id)).toContain('t/new');
    expect(await waiting()).toEqual([]);
    expect(await activate(bob, id)).toMatchObject({ kind: 'not_found' });
    const actions = (await home.ledger.receipts()).map(({ action }) => action);
    expect(actions).toContainEqual(expect.stringMatching(new RegExp(`^policies\\.activate ${id} sha256:`)));
  });

  it('are stale once another version is in force', async () => {
    const first = await proposed(ada, { ...starter, 't/first': forbidOf('first') });
    const second = await proposed(ada, { ...starter, 't/second': forbidOf('second') });
    expect((await activate(bob, first.proposal_id)).kind).toBe('written');
    const version = await home.version();
    expect(await activate(bob, second.proposal_id)).toEqual({ kind: 'conflict', version });
    expect(
      await home.ask(proposePolicies, { principal: ada.principal, policies: starter, if_version: 'none' }),
    ).toEqual({
      kind: 'conflict',
      version,
    });
  });

  it('are withdrawn by their author, or by whoever manages policies', async () => {
    const { proposal_id } = await proposed(ada, { ...starter, 't/new': forbidOf('y') });
    const withdraw = (by: Caller) => home.ask(withdrawProposal, { caller: by, proposal_id });
    expect(await withdraw(uma)).toEqual({ kind: 'denied' });
    expect(await withdraw(ada)).toEqual({ kind: 'withdrawn' });
    expect(await withdraw(bob)).toMatchObject({ kind: 'not_found' });
  });

  it('are sound, or they are not kept', async () => {
    expect(await propose(ada, { 't/new': 'permit (principal' })).toMatchObject({
      kind: 'invalid',
      findings: { errors: [expect.objectContaining({ policy_id: 't/new' })] },
    });
  });

  it('are forgotten after thirty days, with a receipt', async () => {
    const { proposal_id } = await proposed(ada, { ...starter, 't/late': forbidOf('late') });
    const { settings } = await home.ledger.read('policy-proposal', proposal_id);
    const { policies, author, if_version } = StoredProposal.parse(settings[0]?.value);
    const at = new Date(Date.now() - 31 * 24 * 3_600_000).toISOString();
    await home.ledger.plant('policy-proposal', proposal_id, { policies, author, if_version, at });
    expect(await waiting()).not.toContain(proposal_id);
    const receipts = await home.ledger.receipts();
    expect(receipts.filter(({ action }) => action === `policies.expire ${proposal_id}`)).toMatchObject([
      { kind: 'admin', principal: 'User::"default/ada"' },
    ]);
    expect((await home.ledger.read('policy-proposal', proposal_id)).settings).toEqual([]);
  });

  it('are fifty at most', async () => {
    const answers = [];
    for (let count = (await waiting()).length; count < 51; count += 1)
      answers.push(await propose(ada, { ...starter, 't/new': forbidOf(`server-${count}`) }));
    expect(answers.slice(0, -1).every(({ kind }) => kind === 'proposed')).toBe(true);
    expect(answers.at(-1)).toMatchObject({ kind: 'full' });
    expect((await waiting()).length).toBe(50);
  });
});
