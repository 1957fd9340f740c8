import { Capability, type RunLimits, type Scope } from '@uar/contracts';
import { assert, constantFrom, option, property, record, subarray, array } from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  canRunNothing,
  effectiveRun,
  leaves,
  leavesServer,
  limitsOf,
  toolApprovalOf,
  wholeRun,
  widenedMember,
  type EffectiveRun,
} from './effective-run.js';

const tools = ['fs__read', 'fs__write', 'web__get', 'native__file_read'];
const serverOf = (name: string): string => name.split('__')[0] ?? '';
const servers = ['fs', 'web', 'native'];
const runs = 5_000;

const leftTools = (run: EffectiveRun): string[] =>
  tools.filter((name) => leaves(run, { name, server: serverOf(name) }));
const heldBy = (run: EffectiveRun): readonly Capability[] => run.capabilities ?? Capability.options;

/** A call that policy lets run with nobody looking: does it, in this run? */
const unattended = (run: EffectiveRun): string[] => (toolApprovalOf(run) === 'ask' ? [] : leftTools(run));

const selection = (ids: string[]) =>
  record(
    {
      mode: constantFrom('inherit', 'auto', 'all', 'none', 'selected', 'selected', 'selected'),
      ids: subarray([...ids, 'unheard_of']),
      denied_ids: subarray(ids),
    },
    { requiredKeys: ['mode'] },
  );
const anyScope = record(
  {
    tools: selection(tools),
    mcp_servers: selection(servers),
    tool_approval: constantFrom('inherit', 'auto', 'ask', 'deny'),
    capabilities: subarray([...Capability.options]),
  },
  { requiredKeys: [] },
) as unknown as ReturnType<typeof constantFrom<[Scope]>>;
const anyScopes = array(option(anyScope, { nil: undefined }), { maxLength: 4 });

const isSubset = <T>(part: readonly T[], whole: readonly T[]): boolean =>
  part.every((each) => whole.includes(each));

describe('the effective set of a run', () => {
  it.each<[string, Scope, string[]]>([
    ['nothing selected', {}, tools],
    ['inherit', { tools: { mode: 'inherit' } }, tools],
    ['an empty selection', { tools: { mode: 'selected', ids: [] } }, []],
    ['a selection without ids', { tools: { mode: 'selected' } }, []],
    ['none', { tools: { mode: 'none', ids: ['fs__read'] } }, []],
    [
      'two selected',
      { tools: { mode: 'selected', ids: ['fs__read', 'web__get'] } },
      ['fs__read', 'web__get'],
    ],
    ['denied out of all', { tools: { mode: 'all', denied_ids: ['fs__read'] } }, tools.slice(1)],
    [
      'denied out of selected',
      { tools: { mode: 'selected', ids: ['fs__read', 'web__get'], denied_ids: ['fs__read'] } },
      ['web__get'],
    ],
    ['one server', { mcp_servers: { mode: 'selected', ids: ['fs'] } }, ['fs__read', 'fs__write']],
    ['the native tools', { mcp_servers: { mode: 'selected', ids: ['native'] } }, ['native__file_read']],
    [
      'a tool of a server that is not selected',
      { tools: { mode: 'selected', ids: ['fs__read'] }, mcp_servers: { mode: 'selected', ids: ['web'] } },
      [],
    ],
  ])('of %s', (_what, scope, left) => {
    expect(leftTools(effectiveRun([scope]))).toEqual(left);
  });

  it('is not widened by an inner scope that wants all', () => {
    const outer: Scope = { tools: { mode: 'selected', ids: ['fs__read'], denied_ids: ['web__get'] } };
    for (const mode of ['all', 'auto', 'inherit'] as const)
      expect(leftTools(effectiveRun([outer, { tools: { mode, ids: tools } }]))).toEqual(['fs__read']);
    expect(leftTools(effectiveRun([outer, { tools: { mode: 'selected', ids: tools } }]))).toEqual([
      'fs__read',
    ]);
  });

  it.each<[RunLimits['tool_approval'], Scope['tool_approval'][]]>([
    ['auto', []],
    ['auto', ['inherit', 'auto']],
    ['ask', ['ask', 'auto', 'inherit']],
    ['deny', ['deny', 'auto']],
    ['deny', ['ask', 'deny']],
  ])('asks humans as the strictest scope says: %s of %j', (strictest, said) => {
    expect(toolApprovalOf(effectiveRun(said.map((tool_approval) => ({ tool_approval }) as Scope)))).toBe(
      strictest,
    );
  });

  it('has nothing where every call needs a human and nobody may be asked', () => {
    const run = effectiveRun([{ tool_approval: 'ask' }, { tool_approval: 'deny' }]);
    expect([canRunNothing(run), leftTools(run)]).toEqual([true, []]);
    expect(leavesServer(run, 'fs')).toBe(true);
  });

  it('tells the PDP nothing where it takes nothing away', () => {
    expect(limitsOf(wholeRun)).toBeUndefined();
    expect(limitsOf(effectiveRun([{ tools: { mode: 'none' } }]))).toBeUndefined();
    expect(limitsOf(effectiveRun([{ capabilities: ['read', 'write'] }, { capabilities: ['read'] }]))).toEqual(
      {
        tool_approval: 'auto',
        capabilities: ['read'],
      },
    );
  });
});

describe('for any scopes', () => {
  const counted = { narrowed: 0, removed: 0, swapped: 0, repeated: 0, refused: 0, accepted: 0 };

  it('one more never adds a tool, a capability or a call with nobody looking', () => {
    assert(
      property(anyScopes, anyScope, (outer, scope) => {
        const before = effectiveRun(outer);
        const after = effectiveRun([...outer, scope]);
        counted.narrowed += 1;
        if (leftTools(after).length < leftTools(before).length) counted.removed += 1;
        expect(isSubset(leftTools(after), leftTools(before))).toBe(true);
        expect(isSubset(unattended(after), unattended(before))).toBe(true);
        expect(isSubset(heldBy(after), heldBy(before))).toBe(true);
      }),
      { numRuns: runs },
    );
  });

  it('the order of conversation and turn does not matter, nor does saying one twice', () => {
    assert(
      property(anyScopes, anyScope, anyScope, (outer, conversation, turn) => {
        const facts = (run: EffectiveRun) => [leftTools(run), toolApprovalOf(run), heldBy(run), run.asks];
        const one = effectiveRun([...outer, conversation, turn]);
        counted.swapped += 1;
        counted.repeated += 1;
        expect(facts(effectiveRun([...outer, turn, conversation]))).toEqual(facts(one));
        expect(facts(effectiveRun([...outer, conversation, turn, turn, conversation]))).toEqual(facts(one));
      }),
      { numRuns: runs },
    );
  });

  it('a change that is not called wider gives nothing that was not there before, and one more scope is never called wider', () => {
    assert(
      property(anyScopes, anyScopes, anyScope, (before, after, scope) => {
        const [was, is] = [effectiveRun(before), effectiveRun(after)];
        expect(widenedMember(was, effectiveRun([...before, scope]))).toBeUndefined();
        if (widenedMember(was, is) !== undefined) return void (counted.refused += 1);
        counted.accepted += 1;
        const kept = { ...is, asks: is.asks || was.asks };
        expect(isSubset(leftTools(kept), leftTools(was))).toBe(true);
        expect(isSubset(unattended(kept), unattended(was))).toBe(true);
        expect(isSubset(heldBy(kept), heldBy(was))).toBe(true);
      }),
      { numRuns: runs },
    );
    console.info('effective runs tried', counted);
    expect(counted.removed).toBeGreaterThan(100);
    expect(Math.min(counted.refused, counted.accepted)).toBeGreaterThan(100);
  });
});
