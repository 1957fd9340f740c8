import { resolveFacts, resolveNativeFacts, resolveTaskSupport } from '@uar/catalog';
import type { CatalogEntry, NativeToolStatement, TaskSupport, TenantId } from '@uar/contracts';
import type { DesiredServer } from '../servers/desired-servers.js';
import type { ExaminedTool } from './examined-tools.js';
import type { ListedTool, ToolList } from './tool-list.js';

const nativeMarginMs = 5_000;

/** The catalog entries of one MCP server. `serving`: a live host instance can execute what is on the list. */
export function upstreamEntries(
  server: DesiredServer,
  tools: readonly ExaminedTool[],
  serving: boolean,
): CatalogEntry[] {
  return tools.map(({ tool, held }) => ({
    name: tool.name,
    host: 'mcp',
    facts: resolveFacts({
      tenant: server.tenant,
      server: server.name,
      config: server.config,
      definition: tool.definition,
      definitionDigest: tool.digest,
      pinned: !held,
    }),
    definition_json: tool.text,
    state: stateOf(!held, serving),
    timeout_ms: server.config.timeout_ms,
    ...taskMember(resolveTaskSupport({ config: server.config, definition: tool.definition })),
  }));
}

function taskMember(support: TaskSupport | undefined): Pick<CatalogEntry, 'task_support'> {
  return support === undefined ? {} : { task_support: support };
}

export interface NativeOffer {
  readonly list: ToolList;
  readonly serving: boolean;
}

/** The entries of native tools; a tool about which its host states nothing is left out. */
export function nativeEntries(tenant: TenantId, server: string, offer: NativeOffer): CatalogEntry[] {
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
