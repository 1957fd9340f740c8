import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig, policiesFolderProblem, productRoot } from '../index.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'uar-policies-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('a folder of policies', () => {
  it('is the shipped one', () => {
    expect(policiesFolderProblem(join(productRoot, 'deploy/policies'))).toBeUndefined();
  });

  it('is none while it is absent, a file, or lacks a part, and what it needs is said', () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    for (const path of [join(folder, 'absent'), file])
      expect(policiesFolderProblem(path)).toContain(`${path} is no folder that can be read. `);
    mkdirSync(join(folder, 'schema.cedarschema'));
    mkdirSync(join(folder, 'tenants'));
    const problem = policiesFolderProblem(folder);
    expect(problem).toContain(`${folder} lacks schema.cedarschema, platform/. `);
    expect(problem).toContain('tenants/<tenant>/<id>.cedar');
    expect(problem).toContain('deploy/policies');
  });
});

describe('a configuration whose policies are not there', () => {
  const load = (whole: boolean, more: Record<string, unknown> = {}) =>
    loadConfig({
      ...{ env: { UAR_PORT: 'x' }, cwd: folder, file: null, generate: false, whole },
      overrides: { governance: { policies_dir: join(folder, 'gone'), ...more } },
    });
  const paths = (loaded: ReturnType<typeof load>) =>
    loaded.kind === 'ok' ? [] : loaded.problems.map(({ path }) => path);

  it('is bad as a whole, beside everything else that is wrong', () => {
    expect(paths(load(true))).toEqual(['UAR_PORT', 'governance.policies_dir']);
  });

  it('does for a service that reads none', () => {
    expect(paths(load(false))).toEqual(['UAR_PORT']);
    expect(paths(load(true, { enabled: false }))).toEqual(['UAR_PORT']);
  });
});
