import { definitionDigest } from '@uar/catalog';
import {
  ToolName,
  type CatalogEntry,
  type CatalogServer,
  type InstanceId,
  type TenantId,
} from '@uar/contracts';
import type { Catalog } from '../domain/call/ports.js';
import { definitionOf } from './runtime-definitions.js';
import { runtimeTools, type RuntimeTool } from './runtime-tools.js';

/** The reserved server whose tools a gateway executes itself. */
export const runtimeServer = 'uar-runtime';

const timeoutMs = 30_000;

/** The catalog of the upstreams, and beside it the tools of this gateway: no name of theirs is one of an upstream's, as those have a server in front. */
export class RuntimeCatalog implements Catalog {
  private readonly byTenant = new Map<TenantId, ReadonlyMap<string, CatalogEntry>>();

  constructor(
    private readonly upstreams: Catalog,
    private readonly instance: InstanceId,
  ) {}

  find(tenant: TenantId, name: string): CatalogEntry | undefined {
    return Object.hasOwn(runtimeTools, name)
      ? this.entries(tenant).get(name)
      : this.upstreams.find(tenant, name);
  }

  server(tenant: TenantId, name: string): CatalogServer | undefined {
    if (name !== runtimeServer) return this.upstreams.server(tenant, name);
    return { tenant, name, host: 'gateway', status: 'ready', instances: [this.instance], sandbox: 'none' };
  }

  /** The tools of this gateway, by name. */
  entries(tenant: TenantId): ReadonlyMap<string, CatalogEntry> {
    const known = this.byTenant.get(tenant);
    if (known !== undefined) return known;
    const tools = Object.entries(runtimeTools).map(([name, tool]) => entryOf(tenant, name, tool));
    const made = new Map(tools.map((entry) => [entry.name, entry]));
    this.byTenant.set(tenant, made);
    return made;
  }
}

function entryOf(tenant: TenantId, name: string, tool: RuntimeTool): CatalogEntry {
  const definition = definitionOf(name, tool);
  return {
    name: ToolName.parse(name),
    host: 'gateway',
    facts: {
      ...{ tenant, server: runtimeServer, raw_name: name, source: 'native', family: 'uar.runtime' },
      ...{ capabilities: [...tool.capabilities], risk: tool.risk },
      ...{ read_only: tool.changes !== true, destructive: false },
      ...{ idempotent: tool.route.method === 'get', open_world: false },
      ...{ hints_trusted: true, enabled: true, pinned: true, quorum: 1, labels: [] },
      extractors: { paths: [], hosts: [], recipients: [] },
      secret_pointers: [],
      definition_digest: definitionDigest(definition),
    },
    definition_json: definition,
    state: 'available',
    timeout_ms: timeoutMs,
  };
}
