import fc, { type Arbitrary } from 'fast-check';
import type { CedarQuestion, CedarValue, Entity, Uid } from '../domain/cedar/cedar.js';
import { entityRef, extension } from '../domain/cedar/cedar.js';

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

/** Few ids of each type, so that what policies name is often what questions are about. */
export const ids = {
  Tenant: ['a', 'b'],
  User: ['a/u', 'a/v'],
  Agent: ['a/g', 'b/g'],
  Role: ['a/r', 'a/s', 'a/t'],
  Group: ['a/x', 'a/y'],
  AgentClass: ['coder', 'clerk'],
  Family: ['mcp', 'native.file'],
  Label: ['pii', 'prod'],
  Server: ['a/fs', 'b/db'],
  Tool: ['a/fs/read', 'a/fs/write'],
  Resource: ['a/doc'],
  Prompt: ['a/hello'],
  ApprovalRequest: ['a/appr'],
  Capability: ['read', 'write', 'execute'],
  Source: ['native', 'mcp'],
  Channel: ['interactive', 'background', 'api'],
  Profile: ['minimal', 'server_full'],
} as const;
type TypeName = keyof typeof ids;

function uidOf(type: TypeName): Arbitrary<Uid> {
  return fc.constantFrom(...ids[type]).map((id): Uid => ({ type: `UAR::${type}`, id }));
}

const ref = (type: TypeName): Arbitrary<CedarValue> => uidOf(type).map(entityRef);
const refs = (type: TypeName): Arbitrary<CedarValue[]> => fc.uniqueArray(uidOf(type), uniqueUids).map(toRefs);
const parentsIn = (...types: TypeName[]): Arbitrary<Uid[]> =>
  fc.tuple(...types.map((type) => fc.uniqueArray(uidOf(type), uniqueUids))).map((lists) => lists.flat());
const uniqueUids = { maxLength: 2, selector: ({ type, id }: Uid) => `${type} ${id}` };
const toRefs = (uids: readonly Uid[]): CedarValue[] => uids.map(entityRef);

export const pointers = ['/path', '/n', '/opts/depth'] as const;
export const tags = ['clearance', 'department'] as const;
export const texts = [
  '',
  'a',
  '/workspace/a',
  '/etc/passwd',
  'a*b',
  'ü€😀',
  'c2',
  '/path',
  'A\n"\\',
] as const;
const text = fc.constantFrom(...texts);
const long = fc.oneof(fc.integer({ min: -3, max: 5 }), fc.constantFrom(900, 2 ** 53 - 1, -(2 ** 53) + 1));
export const decimals = ['0.0', '1.5', '-1.5', '1.50', '922337203685477.5807', '2.0001'] as const;
export const instants = [
  '1969-12-31T23:59:59.999Z',
  '1970-01-01',
  '2026-02-28T12:00:00Z',
  '2026-02-28T12:00:00.001+0130',
] as const;
export const addresses = [
  '127.0.0.1',
  '10.1.2.3',
  '10.0.0.0/8',
  '224.0.0.1',
  '::1',
  'ff02::1',
  '2001:db8::/32',
  '::',
] as const;
const instant = fc.constantFrom(...instants).map((value) => extension('datetime', value));
const decimal = fc.constantFrom(...decimals).map((value) => extension('decimal', value));

function entity(
  uid: Arbitrary<Uid>,
  attrs: Record<string, Arbitrary<CedarValue>>,
  parents: Arbitrary<Uid[]>,
  tagged?: Arbitrary<Record<string, CedarValue>>,
): Arbitrary<Entity> {
  return fc.record({
    uid,
    attrs: fc.record(attrs),
    parents,
    ...(tagged === undefined ? {} : { tags: tagged }),
  }) as Arbitrary<Entity>;
}

const none = fc.constant<Uid[]>([]);
const bag = (type: string, value: Arbitrary<CedarValue>): Arbitrary<Entity> =>
  entity(
    fc.constant<Uid>({ type: `UAR::${type}`, id: 'args' }),
    {},
    none,
    fc.dictionary(fc.constantFrom(...pointers), value, { maxKeys: 3 }),
  );

/** At most one entity of each id; parents need not be there. A role or server has its own parents, so ancestors are of any degree. */
const kinds: Arbitrary<Entity>[] = [
  entity(
    uidOf('Tenant'),
    {
      killSwitch: fc.boolean(),
      enabledFamilies: refs('Family'),
      maxUnattendedRisk: long,
      approvalNeedsMfa: fc.boolean(),
      approvalNeedsInteractive: fc.boolean(),
    },
    none,
  ),
  entity(
    uidOf('User'),
    { tenant: ref('Tenant'), suspended: fc.boolean(), mfa: fc.boolean() },
    parentsIn('Role', 'Group'),
    fc.dictionary(fc.constantFrom(...tags), text, { maxKeys: 2 }),
  ),
  entity(
    uidOf('Agent'),
    { tenant: ref('Tenant'), suspended: fc.boolean(), owner: ref('User'), maxRisk: long },
    parentsIn('AgentClass'),
  ),
  entity(
    fc.constant<Uid>({ type: 'UAR::Role', id: 'a/r' }),
    { tenant: ref('Tenant') },
    fc.constant([{ type: 'UAR::Role', id: 'a/t' }]),
  ),
  entity(uidOf('Server'), { tenant: ref('Tenant'), source: ref('Source') }, parentsIn('Tenant')),
  entity(
    uidOf('Tool'),
    {
      ...{
        capabilities: refs('Capability'),
        tenant: ref('Tenant'),
        family: ref('Family'),
        source: ref('Source'),
      },
      ...{
        riskTier: long,
        readOnly: fc.boolean(),
        destructive: fc.boolean(),
        idempotent: fc.boolean(),
        openWorld: fc.boolean(),
      },
      ...{ hintsTrusted: fc.boolean(), enabled: fc.boolean(), pinned: fc.boolean(), quorum: long },
    },
    parentsIn('Server', 'Family', 'Label'),
  ),
  entity(uidOf('Resource'), { tenant: ref('Tenant') }, parentsIn('Server')),
  entity(uidOf('Prompt'), { tenant: ref('Tenant') }, parentsIn('Server')),
  entity(
    uidOf('ApprovalRequest'),
    { tenant: ref('Tenant'), tool: ref('Tool'), riskTier: long, parties: refs('User'), expiresAt: instant },
    none,
  ),
  bag('ArgStr', text),
  bag('ArgLong', long),
  bag('ArgDec', decimal),
  bag('ArgBool', fc.boolean()),
  bag('ArgStrSet', fc.uniqueArray(text, { maxLength: 3 })),
];

const often = fc.integer({ min: 0, max: 9 }).map((dice) => dice > 1);
const rarely = fc.integer({ min: 0, max: 9 }).map((dice) => dice > 7);
export const entities: Arbitrary<Entity[]> = fc
  .tuple(...kinds.flatMap((kind) => [fc.tuple(often, kind), fc.tuple(rarely, kind)]))
  .map((drawn) => {
    const present = drawn.filter(([isKept]) => isKept).map(([, one]) => one);
    return [...new Map(present.map((one) => [`${one.uid.type} ${one.uid.id}`, one])).values()];
  });

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
