import { CallId, InstanceId } from '@uar/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RunningCall } from '../call/running-call.js';
import { caller, hex } from '../call-spec/facts.fixture.js';
import { World } from '../call-spec/world.fixture.js';
import { Placement } from './placement.js';

const instances = Array.from({ length: 5 }, (_, index) => InstanceId.parse(`${index}`.repeat(16)));
const placed = { host: 'mcp', server: 'srv', timeoutMs: 1_000 } as const;

function callOf(world: World, subject: string): RunningCall {
  const who = { ...caller, principal: { ...caller.principal, subject } };
  const proposed = { caller: who, toolName: 'srv__read', argumentsJson: '{}' };
  return new RunningCall(CallId.parse(`call_${hex(1)}`), proposed, { clock: world.clock, events: world });
}

function homeOf(subject: string, among: readonly InstanceId[], tried: readonly InstanceId[] = []) {
  const world = new World();
  world.placement = 'per_principal';
  world.instances = [...among];
  return new Placement(world, world.clock).place(callOf(world, subject), placed, tried)?.instance;
}

describe('Placement', () => {
  it('shares calls out where processes are shared', () => {
    const world = new World();
    const placement = new Placement(world, world.clock);
    const call = callOf(world, 'ada');
    const chosen = [1, 2, 3, 4].map(() => placement.place(call, placed, [])?.instance);
    expect(new Set(chosen).size).toBe(2);
  });

  it('keeps a principal where it is, whoever else comes or goes', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.shuffledSubarray(instances, { minLength: 1 }),
        fc.nat(),
        (subject, among, n) => {
          const home = homeOf(subject, among);
          expect(homeOf(subject, among.toReversed())).toBe(home);
          const gone = among[n % among.length];
          const left = among.filter((instance) => instance !== gone);
          if (gone !== home) expect(homeOf(subject, left)).toBe(home);
          expect(
            homeOf(
              subject,
              among,
              [gone ?? home ?? ''].map((it) => InstanceId.parse(it)),
            ),
          ).toBe(homeOf(subject, left));
        },
      ),
    );
  });

  it('shares principals out evenly', () => {
    const counts = new Map<string | undefined, number>();
    for (let index = 0; index < 500; index += 1) {
      const home = homeOf(`user-${index}`, instances);
      counts.set(home, (counts.get(home) ?? 0) + 1);
    }
    expect(counts.size).toBe(5);
    for (const count of counts.values()) expect(count).toBeGreaterThan(60);
  });
});
