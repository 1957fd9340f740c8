import { appendFileSync, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { shippedFolder } from '../cedar/questions.fixture.js';
import { OfflinePolicies } from './offline-policies.js';

let folder: string;
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'offline-')), 'policies');
  cpSync(shippedFolder, folder, { recursive: true });
  // All that ships is tried elsewhere.
  for (const file of ['acme.yaml', 'platform.yaml']) rmSync(join(folder, 'cases', file));
  writeFileSync(join(folder, 'cases/small.yaml'), example);
});

const example = `set: example-acme
principals:
  ann: { tenant: acme, subject: ann, groups: [analysts] }
tools:
  search: { tenant: acme, server: docs, raw_name: search }
cases:
  - { case: 'ann searches', question: { ask: call, principal: ann, tool: search }, decision: allow }
`;
afterEach(() => rmSync(join(folder, '..'), { recursive: true }));

async function withPolicies<T>(work: (policies: OfflinePolicies) => Promise<T>): Promise<T> {
  const opened = await OfflinePolicies.open(folder);
  if (opened.kind === 'unreadable') throw new Error(opened.problem);
  try {
    return await work(opened.policies);
  } finally {
    await opened.policies.close();
  }
}

describe('a folder of policies, offline', () => {
  it('is sound as it ships, and every row of its cases holds', async () => {
    const [checked, tested] = await withPolicies(async (policies) => [
      await policies.check(),
      await policies.test(),
    ]);
    expect(checked.map(({ set, problems }) => [set, problems])).toEqual([
      ['platform', []],
      ['default', []],
    ]);
    expect(tested.map(({ set, failures }) => [set, failures])).toEqual([
      ['example-acme', []],
      ['starter', []],
    ]);
    expect(tested.map(({ file }) => file)).toEqual(['cases/small.yaml', 'cases/starter.yaml']);
    expect(tested[0]?.rows).toBe(1);
    expect(tested[1]?.rows).toBeGreaterThan(10);
  }, 60_000);

  it('is told with file, line and column where it is wrong, each problem once', async () => {
    writeFileSync(
      join(folder, 'tenants/default/bad.cedar'),
      'permit (principal, action == UAR::Action::"callTool", resource)\nwhen { resource.riskTeir < 1 };\n',
    );
    appendFileSync(join(folder, 'platform/gate-risk.cedar'), 'this is no policy');
    const checked = await withPolicies((policies) => policies.check());
    const [platform, tenant] = checked.map(({ problems }) => problems.filter(isError));
    expect(platform?.map(({ file, line }) => [file, line])).toEqual([['platform/gate-risk.cedar', 5]]);
    expect(tenant).toMatchObject([
      { file: 'tenants/default/bad.cedar', line: 2, column: 17, suggestion: 'riskTier' },
    ]);
  }, 60_000);

  it('names the rows that do not hold, where they stand', async () => {
    writeFileSync(join(folder, 'cases/small.yaml'), example.replace('decision: allow', 'decision: deny'));
    const tested = await withPolicies((policies) => policies.test());
    const failures = tested.flatMap((one) => one.failures);
    expect(failures).toEqual([
      { case: 'ann searches', line: 7, differences: ['decision: expected deny, found allow'] },
    ]);
  }, 60_000);

  it('holds what cannot be read of it, or is nobody’s, against it', async () => {
    writeFileSync(join(folder, 'tenants/default/no-time.CEDAR'), 'forbid (principal, action, resource);');
    writeFileSync(join(folder, 'tenants/lost.cedar'), 'forbid (principal, action, resource);');
    writeFileSync(join(folder, 'cases/broken.yaml'), 'set: tenant:default\ncases: [{ case: x }]\n');
    const [checked, tested] = await withPolicies(async (policies) => [
      (await policies.check()).flatMap(({ problems }) => problems),
      await policies.test(),
    ]);
    expect(checked).toEqual([
      expect.objectContaining({ file: 'tenants/default', message: expect.stringContaining('rename it') }),
      expect.objectContaining({ severity: 'error', message: expect.stringContaining('broken.yaml:2') }),
      expect.objectContaining({ severity: 'warning', message: expect.stringContaining('lost.cedar') }),
    ]);
    const failed = tested.filter(({ failures }) => failures.length > 0).map(({ set }) => set);
    expect(failed).toEqual(expect.arrayContaining(['tenant:default']));
  }, 60_000);

  it('says that it cannot be read', async () => {
    rmSync(join(folder, 'schema.cedarschema'));
    expect(await OfflinePolicies.open(folder)).toMatchObject({
      kind: 'unreadable',
      problem: expect.stringContaining('schema.cedarschema'),
    });
  });
});

function isError({ severity }: { readonly severity: string }): boolean {
  return severity === 'error';
}
