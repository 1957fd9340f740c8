import fc, { type Arbitrary } from 'fast-check';
import { entityRef, extension, type CedarQuestion, type CedarValue } from '../../domain/cedar/cedar.js';
import { decimal, instant, long, ref, refs, text, uidOf } from './values.fixture.js';
import { addresses, type TypeName } from './vocabulary.fixture.js';

/** Which groups of the shipped schema an action is in, by the key of the action. */
export const actionGroups: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries({
    discoverTool: ['use'],
    callTool: ['use', 'invoke'],
    callToolUnattended: ['invoke'],
    callToolApproved: ['invoke'],
    readResource: ['consume'],
    getPrompt: ['consume'],
    readServers: ['admin'],
    managePolicies: ['admin'],
  }).map(([action, groups]) => [`UAR::Action ${action}`, groups.map((group) => `UAR::Action ${group}`)]),
);

const strings = fc.uniqueArray(text, { maxLength: 3 });
const argRef = (type: string): CedarValue => entityRef({ type: `UAR::${type}`, id: 'args' });
const env = fc.record(
  {
    now: instant,
    ip: fc.constantFrom(...addresses).map((value) => extension('ip', value)),
    channel: ref('Channel'),
    profile: ref('Profile'),
    runId: text,
    sessionId: text,
  },
  { requiredKeys: ['now', 'channel', 'profile', 'runId', 'sessionId'] },
);
const args = fc.record({
  ...{
    s: fc.constant(argRef('ArgStr')),
    n: fc.constant(argRef('ArgLong')),
    d: fc.constant(argRef('ArgDec')),
  },
  ...{
    b: fc.constant(argRef('ArgBool')),
    l: fc.constant(argRef('ArgStrSet')),
    paths: strings,
    nulls: strings,
    lossless: fc.boolean(),
  },
});
const facts = fc.record(
  { pathRoots: strings, hosts: strings, recipientDomains: strings, amount: decimal, complete: fc.boolean() },
  { requiredKeys: ['pathRoots', 'hosts', 'recipientDomains', 'complete'] },
);
const approval = fc.record({ count: long, approvers: refs('User'), roles: refs('Role'), ageSec: long });
const call = { env, args, facts, user: ref('User'), agent: ref('Agent') };
const always = ['env', 'args', 'facts'] as const;

type Context = CedarQuestion['context'];

interface Asked {
  readonly actions: readonly string[];
  readonly principals: readonly TypeName[];
  readonly resources: readonly TypeName[];
  readonly context: Arbitrary<Context>;
}

const asked: readonly Asked[] = [
  {
    actions: ['callTool', 'callToolUnattended'],
    principals: ['User', 'Agent'],
    resources: ['Tool'],
    context: fc.record(call, { requiredKeys: [...always] }) as Arbitrary<Context>,
  },
  {
    actions: ['discoverTool'],
    principals: ['User', 'Agent'],
    resources: ['Tool'],
    context: fc.record({ env }) as Arbitrary<Context>,
  },
  {
    actions: ['callToolApproved'],
    principals: ['User', 'Agent'],
    resources: ['Tool'],
    context: fc.record(
      { ...call, approval },
      { requiredKeys: [...always, 'approval'] },
    ) as Arbitrary<Context>,
  },
  {
    actions: ['approve', 'reject', 'viewApproval'],
    principals: ['User'],
    resources: ['ApprovalRequest'],
    context: fc.record({ env }) as Arbitrary<Context>,
  },
  {
    actions: ['readResource', 'getPrompt'],
    principals: ['User', 'Agent'],
    resources: ['Resource', 'Prompt'],
    context: fc.record({ env }) as Arbitrary<Context>,
  },
  {
    actions: ['listTools', 'readServers'],
    principals: ['User', 'Agent'],
    resources: ['Tenant'],
    context: fc.record({ env }) as Arbitrary<Context>,
  },
  {
    actions: ['managePolicies'],
    principals: ['User'],
    resources: ['Tenant'],
    context: fc.record({ env, authors: refs('User') }) as Arbitrary<Context>,
  },
];

const weights = [5, 2, 2, 1, 1, 1, 1];

/** Who asks what about what, in which context: a question that fits the shipped schema, once it has entities. */
export const asking: Arbitrary<Omit<CedarQuestion, 'entities'>> = fc.oneof(
  ...asked.map(({ actions, principals, resources, context }, index) => ({
    weight: weights[index] ?? 1,
    arbitrary: fc.record({
      principal: fc.oneof(...principals.map(uidOf)),
      action: fc.constantFrom(...actions),
      resource: fc.oneof(...resources.map(uidOf)),
      context,
    }),
  })),
);
