import { mergedOverride, resolveFacts, resolveNativeFacts } from '@uar/catalog';
import type { CatalogEntry, NativeToolStatement, ServerView, TenantId } from '@uar/contracts';
import type { DesiredServer } from '../servers/desired-servers.js';
import type { ListedTool, ToolList } from './tool-list.js';

type Warning = ServerView['warnings'][number];

/** Digests of the reviewed definitions by public name. Absent: nothing was reviewed yet. */
export type Reviewed = ReadonlyMap<string, string>;

export interface Offer {
  readonly list: ToolList;
  /** A live host instance can execute what is on this list. */
  readonly serving: boolean;
}

const nativeMarginMs = 5_000;
const mostWarnings = 50;

/** The catalog entries of one MCP server, with the operator's selection, facts and pins applied. */
export function upstreamEntries(
  server: DesiredServer,
  offer: Offer,
  reviewed: Reviewed | undefined,
): CatalogEntry[] {
  return offer.list.tools
    .filter((tool) => offered(server, tool))
    .map((tool) => {
      const pinned = tool.flags.length === 0 && !held(server, tool, reviewed);
      return {
        name: tool.name,
        host: 'mcp',
        facts: resolveFacts({
          tenant: server.tenant,
          server: server.name,
          config: server.config,
          definition: tool.definition,
          definitionDigest: tool.digest,
          pinned,
        }),
        definition_json: tool.text,
        state: stateOf(pinned, offer.serving),
        timeout_ms: server.config.timeout_ms,
      };
    });
}

/** The entries of native tools; a tool about which its host states nothing is left out. */
export function nativeEntries(tenant: TenantId, server: string, offer: Offer): CatalogEntry[] {
  return offer.list.tools.flatMap((tool) => {
    const statement = statementOf(offer.list, tool);
    if (statement === undefined) return [];
    const pinned = tool.flags.length === 0;
    return {
      name: tool.name,
      host: 'native',
      facts: resolveNativeFacts({
        ...{ tenant, server, statement, pinned },
        rawName: tool.definition.name,
        definitionDigest: tool.digest,
      }),
      definition_json: tool.text,
      state: stateOf(pinned, offer.serving),
      // The tool's own limit ends first (DESIGN.md 10).
      timeout_ms: statement.timeout_ms + nativeMarginMs,
    };
  });
}

/** What an administrator should know about the tools of a server. */
export function toolWarnings(
  server: DesiredServer,
  list: ToolList,
  reviewed: Reviewed | undefined,
): Warning[] {
  const warnings = list.problems.flatMap(({ reason, names }) =>
    names.map((key) => ({ code: 'tool_not_served', key, message: reason })),
  );
  for (const tool of list.tools.filter((listed) => offered(server, listed))) {
    const key = tool.definition.name;
    warnings.push(...tool.flags.map((message) => ({ code: 'definition_flagged', key, message })));
    const pin = pinWarning(server, tool, reviewed);
    if (pin !== undefined) warnings.push({ ...pin, key });
    if (overrideWithoutEffect(server, tool))
      warnings.push({
        code: 'override_without_effect',
        key,
        message: 'a read-only tool is never destructive',
      });
  }
  return warnings.slice(0, mostWarnings);
}

function offered({ config }: DesiredServer, { definition: { name } }: ListedTool): boolean {
  const { allow, deny, overrides } = config.tools;
  if (allow !== undefined && !allow.includes(name)) return false;
  return deny?.includes(name) !== true && mergedOverride(overrides, name).hidden !== true;
}

function held({ config }: DesiredServer, tool: ListedTool, reviewed: Reviewed | undefined): boolean {
  return config.pin === 'block' && reviewed?.get(tool.name) !== tool.digest;
}

function pinWarning({ config }: DesiredServer, tool: ListedTool, reviewed: Reviewed | undefined) {
  const known = reviewed?.get(tool.name);
  if (config.pin === 'off' || known === tool.digest) return undefined;
  if (known !== undefined)
    return { code: 'definition_changed', message: 'the definition differs from the reviewed one' };
  return config.pin === 'block'
    ? { code: 'tool_unreviewed', message: 'nobody has reviewed this tool' }
    : undefined;
}

function overrideWithoutEffect({ config }: DesiredServer, { definition }: ListedTool): boolean {
  const override = mergedOverride(config.tools.overrides, definition.name);
  if (override.destructive !== true) return false;
  const said = config.trust_annotations && definition.annotations['readOnlyHint'] === true;
  return override.read_only ?? said;
}

function statementOf(list: ToolList, { definition }: ListedTool): NativeToolStatement | undefined {
  const { statements } = list;
  return statements !== undefined && Object.hasOwn(statements, definition.name)
    ? statements[definition.name]
    : undefined;
}

function stateOf(pinned: boolean, serving: boolean): CatalogEntry['state'] {
  if (!pinned) return 'quarantined';
  return serving ? 'available' : 'unavailable';
}
