import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CaseFile } from '../../domain/cases/case-file.js';
import { rehearseCases } from '../../domain/cases/rehearse-cases.js';
import type { PolicySource } from '../../domain/sets/source.js';
import { PolicyFiles } from '../policies/policy-folder.js';
import { readPolicies } from '../policies/policy-texts.js';
import { CedarEngine, compileCedar } from './engine.js';

const folder = join(import.meta.dirname, '../../../../../deploy/policies');
const read = await new PolicyFiles(folder).read('every');
if (read.kind === 'unreadable') throw new Error(read.problem);
const { source } = read;

let engine: CedarEngine;
beforeAll(async () => {
  engine = await CedarEngine.start(await compileCedar());
});
afterAll(() => engine.stop());

async function policiesOf(file: CaseFile, from: PolicySource): Promise<Record<string, string>> {
  if (file.set === 'platform') return from.platform;
  if (file.set === 'starter') return { ...from.platform, ...from.tenants.get('default') };
  const [kind, name = ''] = file.set.split(/[-:](.*)/);
  const own =
    kind === 'example'
      ? await readPolicies(join(folder, 'examples', name), 't')
      : (from.tenants.get(name) ?? {});
  return { ...from.platform, ...own };
}

describe.each(source.cases)('cases of $file', ({ cases }) => {
  it('hold', async () => {
    const policies = await policiesOf(cases, source);
    const failures = await engine.rehearse((laboratory) =>
      rehearseCases(cases, { schema: source.schema, policies }, { laboratory }),
    );
    expect(failures).toEqual({ kind: 'done', value: [] });
  });
});

describe('the case files', () => {
  it('are all there, with more than fifty rows besides the ninety-two', () => {
    const rows = source.cases.flatMap(({ cases }) => cases.cases);
    const numbered = rows.filter((row) => /^\d+ /.test(row.case));
    expect(numbered).toHaveLength(92);
    expect(rows.length - numbered.length).toBeGreaterThanOrEqual(50);
    expect(source.cases.map(({ cases }) => cases.set).toSorted()).toEqual([
      'example-acme',
      'platform',
      'starter',
    ]);
  });

  it('name every case once', () => {
    for (const { cases } of source.cases) {
      const names = cases.cases.map((row) => row.case);
      expect(new Set(names).size).toBe(names.length);
    }
  });

  it('expect something in every row', () => {
    for (const { cases } of source.cases)
      for (const row of cases.cases) expect(row.decision ?? row.sees, row.case).toBeDefined();
  });
});
