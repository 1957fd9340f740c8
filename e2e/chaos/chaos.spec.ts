import { afterAll, describe, expect, it } from 'vitest';
import { keeps } from '../keeps.js';
import { buses } from '../on-both-buses.js';
import { breakBuild, brokenBuilds } from './broken-builds.js';
import { type ChaosReport, runChaos, shortestWithFreeze } from './run.js';

const seconds = Number(process.env['UAR_CHAOS_SECONDS'] ?? 60);
const seed = Number(process.env['UAR_CHAOS_SEED'] ?? 1);
const ledger = process.env['UAR_CHAOS_LEDGER'] === 'postgres' ? 'postgres' : 'sqlite';
const brokenSeconds = 12;

function summary(report: ChaosReport): string {
  const kinds = ['asked', 'answered', 'lost', 'not_accepted', 'executed', 'voted', 'fault'] as const;
  return kinds.map((kind) => `${report.count(kind)} ${kind}`).join(', ');
}

describe.runIf(buses.includes('nats'))('a plane whose processes are killed and stopped', () => {
  keeps(
    ['chaos.promises'],
    `keeps what it promises for ${seconds} s (seed ${seed}, ${ledger})`,
    async () => {
      const report = await runChaos({ seconds, seed, ledger });
      console.log(`chaos: ${summary(report)}`);
      if (report.violations.length > 0) console.log(`histories: ${report.folder}`);
      expect(report.violations).toEqual([]);
      expect(report.count('executed')).toBeGreaterThan(ledger === 'sqlite' ? seconds : seconds / 2);
      expect(report.count('fault')).toBeGreaterThan(seconds / 6);
      const frozen = report.notes.filter((note) => note.kind === 'fault' && note.what === 'freeze');
      expect(frozen).toHaveLength(seconds < shortestWithFreeze ? 0 : 1);
    },
    (seconds + 240) * 1_000,
  );
});

describe.runIf(buses.includes('nats'))('a build with a fault in it', () => {
  const copies: { remove(): void }[] = [];
  afterAll(() => copies.forEach((copy) => copy.remove()));

  it.each(brokenBuilds)(
    '$name is caught',
    async (broken) => {
      const copy = breakBuild(broken);
      copies.push(copy);
      const { aim } = broken;
      const report = await runChaos({ seconds: brokenSeconds, seed, aim, root: copy.root, settleMs: 5_000 });
      const rules = new Set(report.violations.map(({ rule }) => rule));
      console.log(`chaos: ${broken.name}: ${summary(report)}; breaks ${[...rules].join(', ')}`);
      expect(broken.breaks.some((rule) => rules.has(rule))).toBe(true);
    },
    180_000,
  );
});
