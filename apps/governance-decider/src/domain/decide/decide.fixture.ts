import { Caller, ToolFacts, type CallQuestion, type Principal } from '@uar/contracts';
import { argumentsDigest } from '@uar/json-text';
import type { QuestionBatch, RawAnswer } from '../cedar/cedar.js';
import { PolicyJson } from '../policy/policy-json.js';
import { policySet } from '../policy/policy-set.js';
import type { Directory } from '../question/directory.js';
import { CedarJudge } from './cedar-judge.js';

export const now = 1_800_000_000_000;
export const tool = ToolFacts.parse({
  ...{ tenant: 'acme', server: 'docs', raw_name: 'search', source: 'mcp', family: 'mcp' },
  ...{ capabilities: ['read'], risk: 0, read_only: true, destructive: false, idempotent: true },
  ...{ open_world: false, hints_trusted: true, enabled: true, pinned: true, quorum: 1, labels: [] },
  extractors: { paths: [], hosts: [], recipients: [] },
  secret_pointers: [],
  definition_digest: `sha256:${'0'.repeat(64)}`,
});
export const caller = Caller.parse({
  principal: {
    ...{ issuer: 'i', subject: 'ann', tenant: 'acme', kind: 'user', roles: ['user'], groups: [], scopes: [] },
    ...{ mfa: false, claims: {}, expires_at: now + 60_000 },
  },
  ...{ channel: 'api', run_id: `run_${'0'.repeat(32)}`, session_id: 's' },
});

export function question(change: Partial<CallQuestion> = {}, argumentText = '{}'): CallQuestion {
  return {
    call_id: `call_${'0'.repeat(32)}` as CallQuestion['call_id'],
    caller,
    tool,
    arguments_json: argumentText,
    arguments_digest: argumentsDigest(argumentText),
    ...change,
  };
}

export const as = (change: Partial<Principal>): Partial<CallQuestion> => ({
  caller: { ...caller, principal: { ...caller.principal, ...change } },
});

export const directory: Directory = {
  revision: 0,
  tenant: () => ({
    killSwitch: false,
    enabledFamilies: ['mcp'],
    maxUnattendedRisk: 1,
    approvalNeedsMfa: false,
    approvalNeedsInteractive: false,
  }),
  agent: () => undefined,
  isUserSuspended: () => false,
};

/** A permit of everything; its condition reads a part of the context, such as `env.now`. */
function permit(reads?: string): PolicyJson {
  const steps = reads?.split('.') ?? [];
  const body = steps.reduce<object>((left, attr) => ({ '.': { left, attr } }), { Var: 'context' });
  return PolicyJson.parse({
    ...{ effect: 'permit', principal: { op: 'All' }, resource: { op: 'All' }, action: { op: 'All' } },
    conditions: reads === undefined ? [] : [{ kind: 'when', body }],
  });
}

export const yes: RawAnswer = { kind: 'decided', decision: 'allow', reasons: ['t/all'], errors: [] };
export const no: RawAnswer = { kind: 'decided', decision: 'deny', reasons: [], errors: [] };

/** A judge over an engine that gives these answers and remembers what it was asked. */
export function judgeOver(answer: (batch: QuestionBatch) => RawAnswer[], reads?: string, entries = 10) {
  const asked: QuestionBatch[] = [];
  const set = policySet('v1', new Map([['t/all', permit(reads)]]));
  const judge = new CedarJudge({
    sets: { of: (tenant) => (tenant === 'acme' ? set : undefined) },
    engine: {
      ask: (batch) => {
        asked.push(batch);
        return Promise.resolve(answer(batch));
      },
    },
    ...{ directory, profile: 'minimal', now: () => now, remembered: entries },
  });
  return { judge, asked };
}

export const always = (answer: RawAnswer) => (batch: QuestionBatch) => batch.questions.map(() => answer);
