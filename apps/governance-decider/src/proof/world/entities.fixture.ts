import fc, { type Arbitrary } from 'fast-check';
import type { CedarValue, Entity, Uid } from '../../domain/cedar/cedar.js';
import { decimal, instant, long, parentsIn, ref, refs, text, uidOf } from './values.fixture.js';
import { pointers, tags } from './vocabulary.fixture.js';

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
