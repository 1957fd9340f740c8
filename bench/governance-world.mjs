// A decider without its service around it: the shipped policies, more of an operator's, tools, callers, and a judge over the real engine.
import { join } from 'node:path';
import { argumentsDigest, textDigest } from '@uar/json-text';
import { CedarEngine, compileCedar } from '../apps/governance-decider/dist/adapters/cedar/engine.js';
import { PolicyFiles } from '../apps/governance-decider/dist/adapters/policies/policy-folder.js';
import { CedarJudge } from '../apps/governance-decider/dist/domain/decide/cedar-judge.js';
import { folderAlone } from '../apps/governance-decider/dist/domain/sets/written.js';
import { PolicySets } from '../apps/governance-decider/dist/domain/sets/policy-sets.js';
import { root } from './product.mjs';

export const tenant = 'default';

const runId = `run_${'0'.repeat(32)}`;

/** What an operator writes: rules per server, role and label, with conditions on arguments, claims and risk. */
export function operatorPolicies(count) {
  const kinds = [
    (n) =>
      `permit (principal in UAR::Role::"default/team-${n}", action in UAR::Action::"use", resource in UAR::Server::"default/server-${n % 40}") when { resource.riskTier < 3 };`,
    (n) =>
      `permit (principal in UAR::Role::"default/team-${n}", action == UAR::Action::"callToolUnattended", resource in UAR::Server::"default/server-${n % 40}") when { context.args.s.hasTag("/path") && context.args.s.getTag("/path") like "/workspace/${n}/*" };`,
    (n) =>
      `forbid (principal, action == UAR::Action::"callTool", resource in UAR::Label::"label-${n}") when { principal is UAR::User && !(principal.hasTag("clearance") && principal.getTag("clearance") == "c${n}") };`,
    (n) =>
      `forbid (principal in UAR::Group::"default/group-${n}", action == UAR::Action::"callToolUnattended", resource) when { resource.openWorld || context.args.n.hasTag("/limit") && context.args.n.getTag("/limit") > ${n} };`,
  ];
  return Object.fromEntries(
    Array.from({ length: count }, (_, n) => {
      const id = `t/rule-${n}`;
      return [id, `@id("${id}")\n@reason("rule ${n}")\n${kinds[n % kinds.length](n)}\n`];
    }),
  );
}

/** The shipped folder with `extra` beside what its tenant has. */
export async function policiesWith(extra) {
  const read = await new PolicyFiles(join(root, 'deploy/policies')).read();
  if (read.kind === 'unreadable') throw new Error(read.problem);
  const { source } = read;
  const own = { ...source.tenants.get(tenant), ...extra };
  return { ...source, tenants: new Map([[tenant, own]]) };
}

const facts = {
  killSwitch: false,
  enabledFamilies: ['mcp'],
  maxUnattendedRisk: 1,
  approvalNeedsMfa: false,
  approvalNeedsInteractive: false,
};
export const directory = {
  revision: 0,
  tenant: () => facts,
  agent: () => undefined,
  isUserSuspended: () => false,
};

/**
 * `judge` decides; `judgeAfresh()` is one that remembers nothing yet; `activate(source)` puts another folder in force and tells
 * how long it took in all, and from the end of its cases on.
 */
export async function startDecider(source) {
  const engine = await CedarEngine.start(await compileCedar());
  const state = { source, casesEnded: 0, swapped: 0 };
  const stage = {
    rehearse: async (work) => {
      const tried = await engine.rehearse(work);
      state.casesEnded = performance.now();
      return tried;
    },
    publish: (sets) => engine.publish(sets),
  };
  const sets = new PolicySets({
    folder: { read: () => Promise.resolve({ kind: 'read', source: state.source }) },
    ...{ written: folderAlone, stage, directory },
    knownTenants: [tenant],
    onSwap: () => {
      state.swapped = performance.now();
    },
    onProblem: (about, problem) => {
      throw new Error(`${about}: ${problem}`);
    },
  });
  await sets.reload();
  const parts = { sets, engine, directory, profile: 'minimal', now: Date.now, remembered: 10_000 };
  return {
    engine,
    sets,
    judge: new CedarJudge(parts),
    judgeAfresh: () => new CedarJudge(parts),
    activate: async (next) => {
      state.source = next;
      const from = performance.now();
      await sets.reload();
      return { totalMs: state.swapped - from, afterCasesMs: state.swapped - state.casesEnded };
    },
    stop: () => engine.stop(),
  };
}

export function principal(change = {}) {
  return {
    issuer: 'bench',
    subject: 'ada',
    tenant,
    kind: 'user',
    roles: ['admin', 'user'],
    groups: ['staff'],
    scopes: [],
    mfa: false,
    claims: { clearance: 'c2', department: 'research' },
    expires_at: Date.now() + 3_600_000,
    ...change,
  };
}

export function caller(change = {}) {
  return { principal: principal(change), channel: 'interactive', run_id: runId, session_id: '' };
}

export function tool(change = {}) {
  return {
    tenant,
    server: 'server-1',
    raw_name: 'echo',
    source: 'mcp',
    family: 'mcp',
    capabilities: ['read'],
    risk: 0,
    read_only: true,
    destructive: false,
    idempotent: true,
    open_world: false,
    hints_trusted: true,
    enabled: true,
    pinned: true,
    quorum: 1,
    labels: ['internal'],
    extractors: { paths: [], hosts: [], recipients: [] },
    secret_pointers: [],
    definition_digest: textDigest('definition'),
    ...change,
  };
}

/** As a catalog has them: forty servers, some risks and labels; `count` tools in some hundred classes. */
export function tools(count) {
  return Array.from({ length: count }, (_, n) =>
    tool({
      server: `server-${n % 40}`,
      raw_name: `tool-${n}`,
      risk: n % 3,
      read_only: n % 3 === 0,
      capabilities: n % 3 === 0 ? ['read'] : ['read', 'write'],
      labels: n % 40 < 5 ? ['internal', 'prod'] : ['internal'],
      definition_digest: textDigest(`definition ${n}`),
    }),
  );
}

/** As it arrives over the bus: nothing of it is an object that anybody has seen before. */
export function question(args, change = {}) {
  const text = JSON.stringify(args);
  return JSON.parse(
    JSON.stringify({
      call_id: `call_${'0'.repeat(32)}`,
      caller: caller(),
      tool: tool(),
      arguments_json: text,
      arguments_digest: argumentsDigest(text),
      ...change,
    }),
  );
}
