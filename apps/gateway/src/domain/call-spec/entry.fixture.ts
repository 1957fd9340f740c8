import { CatalogEntry, type ToolFacts } from '@uar/contracts';
import { textDigest } from '@uar/json-text';

/** A tool of server `srv`, tenant `default`. */
export function entry(
  rawName: string,
  changes: Partial<ToolFacts> = {},
  inputSchema: object = { type: 'object' },
): CatalogEntry {
  const definition_json = JSON.stringify({ name: rawName, description: `does ${rawName}`, inputSchema });
  return CatalogEntry.parse({
    name: `srv__${rawName}`,
    host: 'mcp',
    definition_json,
    state: 'available',
    timeout_ms: 5_000,
    facts: {
      tenant: 'default',
      server: 'srv',
      raw_name: rawName,
      source: 'mcp',
      family: 'mcp',
      capabilities: ['read'],
      risk: 1,
      read_only: true,
      destructive: false,
      idempotent: true,
      open_world: false,
      hints_trusted: true,
      enabled: true,
      pinned: true,
      quorum: 1,
      labels: [],
      extractors: { paths: [], hosts: [], recipients: [] },
      secret_pointers: [],
      definition_digest: textDigest(definition_json),
      ...changes,
    },
  });
}
