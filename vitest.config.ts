import { defineConfig } from 'vitest/config';
import { SlowestFirst } from './tools/slowest-first.js';

const conditions = ['@uar/source', 'module', 'node', 'development|production'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    pool: 'forks',
    maxWorkers: '100%',
    execArgv: ['--no-turbo-inline-js-wasm-calls'],
    // Only what hangs may take this long: several runs may share a machine.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 10_000 } },
    // One given for the run, as `--sequence.shuffle.files` is, goes before ours.
    ...(process.argv.some((arg) => arg.startsWith('--sequence'))
      ? {}
      : { sequence: { sequencer: SlowestFirst } }),
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['{apps,libs}/*/src/**/*.spec.ts', 'tools/**/*.spec.ts'],
          exclude: ['**/*.proof.spec.ts'],
          // Specs share nothing but modules; loading those anew for each file took a third of the time.
          isolate: false,
        },
      },
      { extends: true, test: { name: 'proofs', include: ['{apps,libs}/*/src/**/*.proof.spec.ts'] } },
      { extends: true, test: { name: 'chaos', include: ['e2e/chaos/*.spec.ts'] } },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['e2e/**/*.e2e.spec.ts'],
          // A product waits more than it works; more of them at once would.
          maxWorkers: 2,
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
