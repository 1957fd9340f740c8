import { Caller, ToolFacts, type CallQuestion } from '@uar/contracts';
import { argumentsDigest } from '@uar/json-text';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CedarEngine, compileCedar } from '../adapters/cedar/engine.js';
import { CedarJudge } from '../domain/decide/cedar-judge.js';
import type { CallVerdict } from '../domain/decide/verdict.js';
import type { PolicySet } from '../domain/policy/policy-set.js';
import { bombs } from './argument-bombs.fixture.js';
import { directory, now } from './calls.fixture.js';
import { installPolicies } from './installed.fixture.js';

/** Reads every bag, so that all of them are sent. */
const texts = {
  't/open': 'permit (principal, action, resource);',
  'p/gate-incomplete-args':
    'forbid (principal, action == UAR::Action::"callToolUnattended", resource) unless { context.args.lossless && context.facts.complete };',
  't/reads': `forbid (principal, action == UAR::Action::"callTool", resource) when {
    context.args.s.hasTag("/never") || context.args.n.hasTag("/never") || context.args.d.hasTag("/never") ||
    context.args.b.hasTag("/never") || context.args.l.hasTag("/never") || context.args.paths.contains("/never") ||
    context.args.nulls.contains("/never") };`,
};

/** Far beyond what one decision may take (5 ms): room for a machine that does much else. */
const guardMs = 10_000;

const tool = ToolFacts.parse({
  ...{ tenant: 'a', server: 'fs', raw_name: 'read', source: 'mcp', family: 'mcp', capabilities: ['read'] },
  ...{
    risk: 0,
    read_only: true,
    destructive: false,
    idempotent: true,
    open_world: false,
    hints_trusted: true,
  },
  ...{ enabled: true, pinned: true, quorum: 1, labels: [], secret_pointers: [] },
  extractors: { paths: [], hosts: [], recipients: [] },
  definition_digest: `sha256:${'0'.repeat(64)}`,
});
const caller = Caller.parse({
  principal: {
    ...{
      issuer: 'i',
      subject: 'u',
      tenant: 'a',
      kind: 'user',
      roles: ['r'],
      groups: [],
      scopes: [],
      mfa: false,
    },
    ...{ claims: {}, expires_at: now + 60_000 },
  },
  ...{ channel: 'api', run_id: `run_${'0'.repeat(32)}`, session_id: '' },
});

let engine: CedarEngine;
beforeAll(async () => {
  engine = await CedarEngine.start(await compileCedar());
});
afterAll(() => engine.stop());

interface Decided {
  readonly verdict: CallVerdict;
  readonly ms: number;
}

async function decideAll(argumentTexts: readonly string[]): Promise<readonly Decided[]> {
  const tried = await engine.rehearse(async (laboratory) => {
    const { set } = await installPolicies(laboratory, texts, { version: 'bombs', isSliced: true });
    const judge = judgeOver(set, laboratory.engine);
    await judge.judgeCall(question('{"warm":"up"}'));
    const decided: Decided[] = [];
    for (const text of argumentTexts) {
      const from = performance.now();
      const { verdict } = await judge.judgeCall(question(text));
      decided.push({ verdict, ms: performance.now() - from });
    }
    return decided;
  });
  if (tried.kind === 'failed') throw new Error(tried.message);
  return tried.value;
}

function judgeOver(set: PolicySet, over: Pick<CedarEngine, 'ask'>): CedarJudge {
  return new CedarJudge({
    ...{ sets: { of: () => set }, engine: over, directory },
    ...{ profile: 'server-full', now: () => now, remembered: 0 },
  });
}

function question(text: string): CallQuestion {
  return {
    call_id: `call_${'0'.repeat(32)}` as CallQuestion['call_id'],
    ...{ caller, tool, arguments_json: text, arguments_digest: argumentsDigest(text) },
  };
}

describe('arguments made to hurt', { timeout: 300_000 }, () => {
  it('are each decided at once: refused, or taken for what could not be read completely', async () => {
    const decided = await decideAll(bombs.map(({ text }) => text));
    const endings = bombs.map(({ name }, index) => ({ name, ends: endOf(decided[index]?.verdict) }));
    expect(endings).toEqual(bombs.map(({ name, ends }) => ({ name, ends })));
    const sorted = decided.map(({ ms }) => ms).toSorted((left, right) => left - right);
    const under = sorted.filter((ms) => ms < 5).length;
    console.log(
      `bombs: ${sorted.length} decided, ${under} of them in less than 5 ms, the slowest in ${sorted.at(-1)?.toFixed(1)} ms`,
    );
    expect(sorted.at(-1)).toBeLessThan(guardMs);
  });
});

function endOf(verdict: CallVerdict | undefined): string | undefined {
  return verdict?.kind === 'deny' ? verdict.cause : verdict?.kind;
}
