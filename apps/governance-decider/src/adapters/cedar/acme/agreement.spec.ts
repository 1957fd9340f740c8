import type { CallQuestion } from '@uar/contracts';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CallDesk } from '../../../domain/decide/call-desk.js';
import { CedarJudge } from '../../../domain/decide/cedar-judge.js';
import { CallExplainer } from '../../../domain/explain/explain-call.js';
import { CallSimulator } from '../../../domain/simulate/simulate-calls.js';
import { proofRuns } from '../../../proof/runs.fixture.js';
import { someCall, startAcme, type AcmeWorld } from './acme.fixture.js';

/** Five hundred where the proofs run. */
const { cases: calls } = proofRuns({ cases: 50 });
/** Callers, and tools, of the simulation. */
const side = calls < 500 ? 12 : 32;

let world: AcmeWorld;
let desk: CallDesk;
beforeAll(async () => {
  world = await startAcme();
  desk = new CallDesk({
    judge: new CedarJudge({ ...world, remembered: 1_000 }),
    signatures: { grant: () => 'grant', ticket: () => 'ticket', openTicket: () => undefined },
    ...{ profile: world.profile, now: world.now, approvalTimeoutMs: 1 },
  });
});
afterAll(() => world.engine.stop());

interface Said {
  readonly decision: string;
  readonly outcome?: string | undefined;
  readonly cause?: string | undefined;
  readonly determining: readonly string[];
  readonly approval?: unknown;
}

/** What a live call gets, asked as the gateway asks it. */
async function live(question: CallQuestion): Promise<Said> {
  const decision = await desk.decide({
    question,
    target: { host: 'mcp', instance: '0123456789abcdef', expires_at: 1 },
  });
  const { kind, determining } = decision;
  switch (decision.kind) {
    case 'allow':
      return { decision: kind, determining };
    case 'require_approval':
      return { decision: kind, determining, approval: [decision.quorum, decision.reasons] };
    case 'deny':
      return { decision: kind, determining, outcome: decision.outcome, cause: decision.cause };
  }
}

async function explained(question: CallQuestion): Promise<Said> {
  const { caller, tool, arguments_json } = question;
  const found = await new CallExplainer(world).explain({ caller, tool, arguments_json });
  const { decision, outcome, cause, determining, stages } = found;
  const approval = stages.find(({ stage }) => stage === 'approval');
  return {
    ...{ decision, determining: determining.map(({ policy }) => policy) },
    ...(decision === 'deny' ? { outcome, cause } : {}),
    ...(decision === 'require_approval' ? { approval: [approval?.quorum, approval?.reasons] } : {}),
  };
}

async function simulated(questions: readonly CallQuestion[], policies?: Record<string, string>) {
  const answer = await new CallSimulator(world).simulate({
    tenant: questions[0]?.tool.tenant as never,
    callers: questions.slice(0, 50).map(({ caller }) => caller),
    tools: questions.map(({ tool, arguments_json }) => ({ facts: tool, arguments_json })),
    ...(policies === undefined ? {} : { policies }),
  });
  if (answer.kind !== 'simulated') throw new Error(JSON.stringify(answer));
  return answer;
}

function withoutApproval({ decision, outcome, cause, determining }: Said): Said {
  return { decision, determining, ...(decision === 'deny' ? { outcome, cause } : {}) };
}

const questions = fc.sample(someCall, { numRuns: calls, seed: 20_261_130 });
const own = (): Record<string, string> =>
  Object.fromEntries(Object.entries(world.active.policies).filter(([id]) => id.startsWith('t/')));

describe(`for ${calls} random calls`, () => {
  it('there is every kind of decision among them', async () => {
    const found = await Promise.all(questions.map(live));
    const kinds = new Set(found.map(({ decision, outcome }) => outcome ?? decision));
    expect([...kinds].toSorted()).toEqual([
      ...['allow', 'capability_denied', 'policy_denied', 'quarantined', 'require_approval', 'unknown_tool'],
    ]);
  });

  it('an explanation decides as a live call is decided', async () => {
    for (const question of questions) expect(await explained(question)).toEqual(await live(question));
  }, 60_000);

  it('a simulation by the active set decides as live calls are decided', async () => {
    const some = questions.slice(0, side);
    const { verdicts, active, candidate } = await simulated(some, own());
    expect(candidate).toEqual(active);
    const [one] = some;
    if (one === undefined) throw new Error('no question');
    let compared = 0;
    for (const [callerIndex, { caller }] of some.entries())
      for (const [toolIndex, { tool, arguments_json, arguments_digest }] of some.entries()) {
        const verdict = verdicts[active[callerIndex]?.[toolIndex] ?? -1];
        const question = { ...one, caller, tool, arguments_json, arguments_digest };
        const decided = await live(question);
        expect(verdict === undefined ? undefined : withoutApproval(verdict)).toEqual(
          withoutApproval(decided),
        );
        compared += 1;
      }
    expect(compared).toBe(side * side);
  }, 60_000);
});
