import { z } from 'zod';
import { Digest, HostKind, ServerName, TenantId, ToolName } from '../ids.js';
import { Capability } from '../principal.js';

/** What the PDP knows of a tool: hints already resolved by GOVERNANCE.md 2, never the upstream's own claims. */
export const ToolFacts = z.strictObject({
  tenant: TenantId,
  server: z.string(),
  raw_name: z.string(),
  source: z.enum(['native', 'mcp']),
  /** `mcp`, or `native.file`, `native.web_fetch`, ... */
  family: z.string(),
  capabilities: z.array(Capability),
  risk: z.number().int().min(0).max(4),
  read_only: z.boolean(),
  destructive: z.boolean(),
  idempotent: z.boolean(),
  open_world: z.boolean(),
  hints_trusted: z.boolean(),
  enabled: z.boolean(),
  /** False while the definition differs from the reviewed one, or was flagged. */
  pinned: z.boolean(),
  quorum: z.number().int().min(1),
  labels: z.array(z.string()),
  /** Extractors declared for the tool: which arguments are paths, hosts, addresses or amounts. JSON pointers. */
  extractors: z.strictObject({
    paths: z.array(z.string()),
    hosts: z.array(z.string()),
    recipients: z.array(z.string()),
    amount: z.string().optional(),
  }),
  secret_pointers: z.array(z.string()),
  definition_digest: Digest,
});
export type ToolFacts = z.output<typeof ToolFacts>;

export const TaskSupport = z.enum(['optional', 'required']);
export type TaskSupport = z.output<typeof TaskSupport>;

const ToolState = z.enum(['available', 'quarantined', 'unavailable']);

/** One tool of the catalog. `definition_json` is the upstream's own text of the MCP tool object, untouched. */
export const CatalogEntry = z.strictObject({
  name: ToolName,
  host: HostKind,
  facts: ToolFacts,
  definition_json: z.string(),
  state: ToolState,
  /** Longest time in milliseconds from dispatch to answer. */
  timeout_ms: z.number().int().positive(),
  /** Its calls become tasks of MCP clients that know tasks; `required`: no other MCP client without sessions may call it. */
  task_support: TaskSupport.optional(),
});
export type CatalogEntry = z.output<typeof CatalogEntry>;

/** `GET /api/tools` row (API.md 2). */
export const ToolView = z.strictObject({
  name: ToolName,
  server: z.union([ServerName, z.literal('native')]),
  raw_name: z.string(),
  source: z.enum(['native', 'mcp']),
  title: z.string().optional(),
  description: z.string().optional(),
  input_schema: z.unknown(),
  output_schema: z.unknown().optional(),
  annotations: z.unknown().optional(),
  capabilities: z.array(Capability),
  risk: z.enum(['low', 'medium', 'high', 'critical']),
  definition_digest: Digest,
  state: ToolState,
  approval: z.enum(['never', 'maybe', 'always']),
});
export type ToolView = z.output<typeof ToolView>;

export const ToolListView = z.strictObject({
  tools: z.array(ToolView),
  catalog_version: z.string(),
  incomplete: z.array(z.strictObject({ server: z.string(), state: z.string(), reason: z.string() })),
  next_cursor: z.string().optional(),
});
