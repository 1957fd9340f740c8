import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cruise, type IConfiguration, type ICruiseResult } from 'dependency-cruiser';
import { afterAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const { forbidden, options }: IConfiguration = createRequire(import.meta.url)(
  join(root, '.dependency-cruiser.cjs'),
);
const tree = mkdtempSync(join(tmpdir(), 'uar-law-'));
symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'));
afterAll(() => rmSync(tree, { recursive: true, force: true }));

/** Names of the rules that a file with these imports breaks, in a tree with the same rooms as ours. */
async function broken(
  path: string,
  imports: readonly string[],
  others: readonly string[] = [],
): Promise<string[]> {
  for (const other of others) write(other, 'export const value = 1;\n');
  write(
    path,
    imports.map((from, index) => `import * as a${index} from '${from}';\nconsole.log(a${index});\n`).join(''),
  );
  const { doNotFollow, exclude, enhancedResolveOptions } = options ?? {};
  const result = await cruise([path], {
    baseDir: tree,
    validate: true,
    ruleSet: { forbidden },
    ...(doNotFollow && { doNotFollow }),
    ...(exclude && { exclude }),
    tsPreCompilationDeps: true,
    preserveSymlinks: true,
    ...(enhancedResolveOptions && { enhancedResolveOptions }),
  } as Parameters<typeof cruise>[1]);
  const { summary } = result.output as ICruiseResult;
  return [
    ...new Set(summary.violations.filter(({ from }) => from === path).map(({ rule }) => rule.name)),
  ].sort();
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(tree, path)), { recursive: true });
  writeFileSync(join(tree, path), text);
}

describe('the import law', () => {
  it.each([
    [
      'a contract that imports more than zod',
      'libs/contracts/src/x.ts',
      ['node:fs'],
      'contracts-import-zod-only',
    ],
    [
      'NATS outside libs/bus',
      'apps/gateway/src/adapters/x.ts',
      ['@nats-io/transport-node'],
      'nats-has-one-owner',
    ],
    [
      'Cedar outside the decider',
      'apps/gateway/src/adapters/y.ts',
      ['@cedar-policy/cedar-wasm'],
      'cedar-has-one-owner',
    ],
    [
      'SQLite outside the ledger',
      'apps/approval-service/src/adapters/x.ts',
      ['better-sqlite3'],
      'sqlite-has-one-owner',
    ],
    [
      'a child process outside the sandbox',
      'apps/uar/src/x.ts',
      ['node:child_process'],
      'child-process-has-one-owner',
    ],
    ['a domain that opens a file', 'apps/gateway/src/domain/x.ts', ['node:fs'], 'domain-is-pure'],
    ['an import that cannot be found', 'apps/gateway/src/z.ts', ['./nowhere.js'], 'no-unresolved'],
  ])('refuses %s', async (_what, path, imports, rule) => {
    expect(await broken(path, imports)).toContain(rule);
  });

  it.each([
    [
      'an app that imports another',
      'apps/gateway/src/a.ts',
      '../../mcp-connector/src/b',
      'apps-never-import-another-app',
    ],
    [
      'a library that imports an app',
      'libs/bus/src/a.ts',
      '../../../apps/gateway/src/b',
      'libs-never-import-apps',
    ],
    [
      'a controller that imports an adapter',
      'apps/uar/src/a.controller.ts',
      './adapters/b',
      'controllers-never-see-adapters',
    ],
    [
      'code that imports the testkit',
      'apps/gateway/src/c.ts',
      '../../../libs/testkit/src/b',
      'testkit-is-for-tests',
    ],
    [
      'a launcher that goes past the door',
      'apps/uar/src/d.ts',
      '../../gateway/src/domain/b',
      'launcher-imports-doors-only',
    ],
  ])('refuses %s', async (_what, path, target, rule) => {
    const file = join(dirname(path), `${target}.ts`);
    expect(await broken(path, [`${target}.js`.replace('.js', '.ts')], [file])).toContain(rule);
  });

  it('lets the owners in', async () => {
    expect(await broken('libs/bus/src/ok.ts', ['@nats-io/transport-node'])).toEqual([]);
    expect(await broken('libs/sandbox/src/ok.ts', ['node:child_process'])).toEqual([]);
    expect(await broken('apps/gateway/src/domain/ok.ts', ['zod'])).toEqual([]);
  });
});
