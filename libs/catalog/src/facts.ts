import type {
  Capability,
  Digest,
  NativeToolStatement,
  ServerConfig,
  TaskSupport,
  TenantId,
  ToolFacts,
  ToolOverride,
} from '@uar/contracts';
import type { Definition } from './definition/definition.js';

/** The hints of GOVERNANCE.md 2, resolved. `destructive` is false wherever `read_only` is true. */
type Hints = Pick<ToolFacts, 'read_only' | 'destructive' | 'idempotent' | 'open_world' | 'hints_trusted'>;

interface Identified {
  readonly tenant: TenantId;
  readonly server: string;
  readonly definitionDigest: Digest;
  /** False while the definition differs from the reviewed one, or was flagged. */
  readonly pinned: boolean;
}

export interface FactsOfUpstreamTool extends Identified {
  readonly config: Pick<ServerConfig, 'enabled' | 'trust_annotations' | 'tools'>;
  readonly definition: { readonly name: string; readonly annotations: Readonly<Record<string, unknown>> };
}

export interface FactsOfNativeTool extends Identified {
  readonly rawName: string;
  readonly statement: NativeToolStatement;
}

const capabilityOrder: readonly Capability[] = ['read', 'write', 'execute', 'network', 'memory'];

/** What the PDP is told about a tool of an MCP server: never the server's own claims, unless the operator vouches. */
export function resolveFacts(tool: FactsOfUpstreamTool): ToolFacts {
  const override = mergedOverride(tool.config.tools.overrides, tool.definition.name);
  const hints = resolveHints(override, tool.config.trust_annotations, tool.definition.annotations);
  return {
    tenant: tool.tenant,
    server: tool.server,
    raw_name: tool.definition.name,
    source: 'mcp',
    family: 'mcp',
    capabilities: inOrder(override.capabilities ?? capabilitiesOf(hints)),
    risk: override.risk ?? riskOf(hints),
    ...hints,
    enabled: tool.config.enabled,
    pinned: tool.pinned,
    quorum: override.quorum ?? 1,
    labels: override.labels ?? [],
    extractors: override.facts ?? { paths: [], hosts: [], recipients: [] },
    secret_pointers: override.secret_pointers ?? [],
    definition_digest: tool.definitionDigest,
  };
}

/** Native tools state their facts themselves; the host that states them is part of the product, so they are trusted. */
export function resolveNativeFacts(tool: FactsOfNativeTool): ToolFacts {
  const { statement } = tool;
  return {
    tenant: tool.tenant,
    server: tool.server,
    raw_name: tool.rawName,
    source: 'native',
    family: statement.family,
    capabilities: inOrder(statement.capabilities),
    risk: statement.risk,
    read_only: statement.read_only,
    destructive: statement.destructive && !statement.read_only,
    idempotent: statement.idempotent,
    open_world: statement.open_world,
    hints_trusted: true,
    enabled: true,
    pinned: tool.pinned,
    quorum: 1,
    labels: [],
    extractors: { paths: statement.paths, hosts: statement.hosts ?? [], recipients: [] },
    secret_pointers: [],
    definition_digest: tool.definitionDigest,
  };
}

/** Nothing: its calls become no tasks. The operator's word counts before the server's. */
export function resolveTaskSupport({
  config,
  definition,
}: {
  readonly config: Pick<ServerConfig, 'tools'>;
  readonly definition: Pick<Definition, 'name' | 'taskSupport'>;
}): TaskSupport | undefined {
  const { task } = mergedOverride(config.tools.overrides, definition.name);
  if (task === undefined) return definition.taskSupport;
  return task ? (definition.taskSupport ?? 'optional') : undefined;
}

/** Per member: the override of the tool, then of `"*"`. Own members only, so that no raw name reads a prototype. */
export function mergedOverride(
  overrides: Readonly<Record<string, ToolOverride>>,
  rawName: string,
): ToolOverride {
  const of = (key: string) => (Object.hasOwn(overrides, key) ? overrides[key] : undefined);
  const given = Object.entries(of(rawName) ?? {}).filter(([, value]) => value !== undefined);
  return { ...of('*'), ...Object.fromEntries(given) };
}

function resolveHints(
  override: ToolOverride,
  vouched: boolean,
  annotations: Readonly<Record<string, unknown>>,
): Hints {
  const said = (hint: string, otherwise: boolean): boolean => {
    if (!vouched || !Object.hasOwn(annotations, hint)) return otherwise;
    const value = annotations[hint];
    return typeof value === 'boolean' ? value : otherwise;
  };
  const readOnly = override.read_only ?? said('readOnlyHint', false);
  return {
    read_only: readOnly,
    destructive: !readOnly && (override.destructive ?? said('destructiveHint', true)),
    idempotent: override.idempotent ?? said('idempotentHint', false),
    open_world: override.open_world ?? said('openWorldHint', true),
    hints_trusted: vouched || override.read_only !== undefined || override.destructive !== undefined,
  };
}

function riskOf(hints: Hints): number {
  if (!hints.hints_trusted) return 3;
  if (hints.read_only) return hints.open_world ? 1 : 0;
  return hints.destructive ? 3 : 2;
}

function capabilitiesOf(hints: Hints): Capability[] {
  if (!hints.hints_trusted) return ['read', 'write', 'network'];
  const local: Capability[] = hints.read_only ? ['read'] : ['read', 'write'];
  return hints.open_world ? [...local, 'network'] : local;
}

function inOrder(capabilities: readonly Capability[]): Capability[] {
  return capabilityOrder.filter((capability) => capabilities.includes(capability));
}
