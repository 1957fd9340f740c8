import { CatalogEntry, CatalogServer } from '@uar/contracts';
import { definitionDigest } from '../definition/definition.js';
import { publicName } from '../definition/public-name.js';

/** A whole entry for specs; server `native` makes a native one. */
export function entryOf(tenant: string, server: string, rawName: string): CatalogEntry {
  const definition_json = JSON.stringify({ name: rawName, title: rawName, inputSchema: { type: 'object' } });
  const host = server === 'native' ? 'native' : 'mcp';
  return CatalogEntry.parse({
    name: publicName(server, rawName),
    host,
    definition_json,
    state: 'available',
    timeout_ms: 30_000,
    facts: {
      tenant,
      server,
      raw_name: rawName,
      source: host,
      family: host === 'native' ? 'native.file' : 'mcp',
      capabilities: ['read'],
      risk: 0,
      read_only: true,
      destructive: false,
      idempotent: false,
      open_world: false,
      hints_trusted: true,
      enabled: true,
      pinned: true,
      quorum: 1,
      labels: [],
      extractors: { paths: [], hosts: [], recipients: [] },
      secret_pointers: [],
      definition_digest: definitionDigest(definition_json),
    },
  });
}

export function serverOf(tenant: string, name: string): CatalogServer {
  const host = name === 'native' ? 'native' : 'mcp';
  return CatalogServer.parse({ tenant, name, host, status: 'ready', instances: ['0123456789abcdef'] });
}
