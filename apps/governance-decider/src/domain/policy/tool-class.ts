import type { ToolFacts } from '@uar/contracts';
import { serverUid, toolUid } from '../cedar/entity-ids.js';
import { toWellFormed } from '../cedar/well-formed.js';
import type { PolicySet } from './policy-set.js';
import { mentionedIds } from './reads.js';
import { slicesOf } from './slices.js';

/** Places that policies can tell from others; nothing of it where any ancestor may count. */
interface NamedPlaces {
  readonly servers: ReadonlySet<string>;
  readonly labels: ReadonlySet<string>;
  readonly anyAncestor: boolean;
}

const remembered = new WeakMap<PolicySet, NamedPlaces>();

/**
 * All that policies can see of a tool when it is looked at, not called: equal for tools that no policy can tell apart. Names
 * of tools, servers and labels count only where some policy names them.
 */
export function toolClass(tool: ToolFacts, set: PolicySet): string {
  const places = remembered.get(set) ?? namedPlaces(set);
  remembered.set(set, places);
  const numbers = `${flagsOf(tool)} ${tool.risk} ${tool.quorum} ${tool.capabilities.join()} ${tool.tenant}`;
  return numbers + spelled(tool.family) + placeIn(places, tool) + nameIn(set, tool);
}

/** One bit each. Spelled out, because lists of thousands of tools are classed whenever they are looked at. */
function flagsOf(tool: ToolFacts): number {
  const { paths, hosts, recipients, amount } = tool.extractors;
  return (
    (tool.read_only ? 1 : 0) |
    (tool.destructive ? 1 << 1 : 0) |
    (tool.idempotent ? 1 << 2 : 0) |
    (tool.open_world ? 1 << 3 : 0) |
    (tool.hints_trusted ? 1 << 4 : 0) |
    (tool.enabled ? 1 << 5 : 0) |
    (tool.pinned ? 1 << 6 : 0) |
    (tool.source === 'native' ? 1 << 7 : 0) |
    (paths.length > 0 ? 1 << 8 : 0) |
    (hosts.length > 0 ? 1 << 9 : 0) |
    (recipients.length > 0 ? 1 << 10 : 0) |
    (amount === undefined ? 0 : 1 << 11)
  );
}

function namedPlaces(set: PolicySet): NamedPlaces {
  // Of every policy, sliced or not: whether a tool's facts are complete depends on those about releases too.
  const idsOf = (type: string) => new Set(set.policies.flatMap(({ json }) => mentionedIds(json, type)));
  return {
    servers: idsOf('UAR::Server'),
    labels: idsOf('UAR::Label'),
    anyAncestor: slicesOf(set).some((slice) => slice.anyAncestor),
  };
}

function placeIn(places: NamedPlaces, { tenant, server, labels }: ToolFacts): string {
  const isNamed = places.anyAncestor || places.servers.has(serverUid(tenant, server).id);
  let place = isNamed ? spelled(server) : '-';
  for (const label of labels)
    if (places.anyAncestor || places.labels.has(toWellFormed(label))) place += spelled(label);
  return place;
}

function nameIn(set: PolicySet, tool: ToolFacts): string {
  const { tenant, server, raw_name: rawName } = tool;
  const isNamed = set.namedTools.size > 0 && set.namedTools.has(toolUid(tenant, server, rawName).id);
  return isNamed ? `/${spelled(server)}${spelled(rawName)}` : '';
}

/** With its length before it, so that no two lists of texts are written alike. */
function spelled(text: string): string {
  return ` ${text.length}:${text}`;
}
