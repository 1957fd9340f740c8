import type { ToolFacts } from '@uar/contracts';
import { entityRef, extension, type CedarValue, type Entity, type Uid } from '../cedar/cedar.js';
import { serverUid, tenantUid, toolUid } from '../cedar/entity-ids.js';
import { toWellFormed } from '../cedar/well-formed.js';
import type { Bags } from '../facts/bags.js';
import type { Placed } from '../policy/scope.js';
import type { Directory } from './directory.js';

export function tenantEntity(tenant: string, directory: Directory): Entity {
  const facts = directory.tenant(tenant);
  return {
    uid: tenantUid(tenant),
    attrs: {
      killSwitch: facts.killSwitch,
      enabledFamilies: facts.enabledFamilies.map((family) => entityRef({ type: 'UAR::Family', id: family })),
      maxUnattendedRisk: facts.maxUnattendedRisk,
      approvalNeedsMfa: facts.approvalNeedsMfa,
      approvalNeedsInteractive: facts.approvalNeedsInteractive,
    },
    parents: [],
  };
}

/** Where a tool stands: its server, family and labels, and through the server its tenant. */
export function placeOf(tool: ToolFacts): Placed {
  return {
    uid: toolUid(tool.tenant, tool.server, tool.raw_name),
    ancestors: [
      serverUid(tool.tenant, tool.server),
      { type: 'UAR::Family', id: toWellFormed(tool.family) },
      ...tool.labels.map((label): Uid => ({ type: 'UAR::Label', id: toWellFormed(label) })),
      tenantUid(tool.tenant),
    ],
  };
}

export function toolEntity(tool: ToolFacts): Entity {
  const { uid, ancestors } = placeOf(tool);
  return {
    uid,
    attrs: {
      capabilities: tool.capabilities.map((id) => entityRef({ type: 'UAR::Capability', id })),
      tenant: entityRef(tenantUid(tool.tenant)),
      family: entityRef({ type: 'UAR::Family', id: toWellFormed(tool.family) }),
      source: entityRef({ type: 'UAR::Source', id: tool.source }),
      riskTier: tool.risk,
      readOnly: tool.read_only,
      destructive: tool.destructive,
      idempotent: tool.idempotent,
      openWorld: tool.open_world,
      hintsTrusted: tool.hints_trusted,
      enabled: tool.enabled,
      pinned: tool.pinned,
      quorum: tool.quorum,
    },
    parents: ancestors,
  };
}

const bagTypes = { s: 'ArgStr', n: 'ArgLong', d: 'ArgDec', b: 'ArgBool', l: 'ArgStrSet' } as const;
type BagName = keyof typeof bagTypes;
const bagNames: readonly BagName[] = ['s', 'n', 'd', 'b', 'l'];

function bagUid(bag: BagName): Uid {
  return { type: `UAR::${bagTypes[bag]}`, id: 'args' };
}

/** Holds arguments of the call by their pointers. */
export function isBag({ type }: { readonly type: string }): boolean {
  return bagNames.some((bag) => type === `UAR::${bagTypes[bag]}`);
}

/** Only bags that hold something: `hasTag` of an entity that was not sent is false, which is right. */
export function bagEntities(bags: Bags): readonly Entity[] {
  const decimals = Object.entries(bags.d).map(([pointer, text]) => [pointer, extension('decimal', text)]);
  const tags: Record<BagName, Readonly<Record<string, CedarValue>>> = {
    s: bags.s,
    n: bags.n,
    d: Object.fromEntries(decimals),
    b: bags.b,
    l: bags.l,
  };
  return bagNames
    .filter((bag) => Object.keys(tags[bag]).length > 0)
    .map((bag) => ({ uid: bagUid(bag), attrs: {}, parents: [], tags: tags[bag] }));
}

export function argumentsValue(bags: Bags): CedarValue {
  return {
    ...Object.fromEntries(bagNames.map((bag) => [bag, entityRef(bagUid(bag))])),
    paths: bags.paths,
    nulls: bags.nulls,
    lossless: bags.lossless,
  };
}
