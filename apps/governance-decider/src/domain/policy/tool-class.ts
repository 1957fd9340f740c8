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
  const { paths, hosts, recipients, amount } = tool.extractors;
  const flags = bits([
    ...[tool.read_only, tool.destructive, tool.idempotent, tool.open_world, tool.hints_trusted],
    ...[tool.enabled, tool.pinned, tool.source === 'native'],
    ...[paths.length > 0, hosts.length > 0, recipients.length > 0, amount !== undefined],
  ]);
  const numbers = `${flags} ${tool.risk} ${tool.quorum} ${tool.capabilities.join()} ${tool.tenant}`;
  return numbers + spelled(tool.family) + placeIn(places, tool) + nameIn(set, tool);
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

function placeIn(places: NamedPlaces, tool: ToolFacts): string {
  const { tenant, server, labels } = tool;
  const isNamed = places.anyAncestor || places.servers.has(serverUid(tenant, server).id);
  const seen = labels.filter((label) => places.anyAncestor || places.labels.has(toWellFormed(label)));
  return (isNamed ? spelled(server) : '-') + seen.map(spelled).join('');
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

function bits(flags: readonly boolean[]): number {
  return flags.reduce((sum, flag) => sum * 2 + Number(flag), 0);
}
