import { readDefinition, type CatalogReplica } from '@uar/catalog';
import { TenantId, type CatalogEntry, type ToolFacts } from '@uar/contracts';
import type { ToolSchema, ToolSchemas } from '../../domain/policy/lint/tool-schema.js';

/** The input schemas of the tools that the catalog holds now. Tools that are away keep the schema they were listed with. */
export class CatalogSchemas implements ToolSchemas {
  /** By the replica's own arrays, which are new ones whenever something of the tenant changed. */
  readonly #lists = new WeakMap<readonly CatalogEntry[], readonly ToolSchema[]>();
  readonly #tools = new WeakMap<CatalogEntry, ToolSchema>();

  constructor(private readonly replica: Pick<CatalogReplica, 'ready' | 'entries'>) {}

  of(tenant: string): readonly ToolSchema[] | undefined {
    const known = TenantId.safeParse(tenant);
    if (!this.replica.ready || !known.success) return undefined;
    const entries = this.replica.entries(known.data);
    const list = this.#lists.get(entries) ?? entries.map((entry) => this.#toolOf(entry));
    this.#lists.set(entries, list);
    return list;
  }

  #toolOf(entry: CatalogEntry): ToolSchema {
    const tool = this.#tools.get(entry) ?? new EntrySchema(entry);
    this.#tools.set(entry, tool);
    return tool;
  }
}

/** Reads the definition when a policy asks for it: most tools have no policy about their arguments. */
class EntrySchema implements ToolSchema {
  #read: { readonly schema: unknown } | undefined;

  constructor(private readonly entry: CatalogEntry) {}

  get facts(): ToolFacts {
    return this.entry.facts;
  }

  get inputSchema(): unknown {
    this.#read ??= { schema: schemaOf(this.entry.definition_json) };
    return this.#read.schema;
  }
}

function schemaOf(definitionText: string): unknown {
  const read = readDefinition(definitionText);
  return read.kind === 'definition' ? read.definition.inputSchema : undefined;
}
