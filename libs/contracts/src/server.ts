import { z } from 'zod';
import { EpochMs, InstanceId, IsoTime, ServerName, TenantId } from './ids.js';
import { Capability } from './principal.js';

export const ToolOverride = z.strictObject({
  read_only: z.boolean().optional(),
  destructive: z.boolean().optional(),
  idempotent: z.boolean().optional(),
  open_world: z.boolean().optional(),
  risk: z.number().int().min(0).max(4).optional(),
  capabilities: z.array(Capability).optional(),
  hidden: z.boolean().optional(),
  quorum: z.number().int().min(1).optional(),
  labels: z.array(z.string()).optional(),
  secret_pointers: z.array(z.string()).optional(),
  facts: z
    .strictObject({
      paths: z.array(z.string()).default([]),
      hosts: z.array(z.string()).default([]),
      recipients: z.array(z.string()).default([]),
      amount: z.string().optional(),
    })
    .optional(),
});
export type ToolOverride = z.output<typeof ToolOverride>;

const strings = z.record(z.string(), z.string());

const ServerFields = z.strictObject({
  enabled: z.boolean().default(true),
  transport: z
    .enum(['stdio', 'streamable_http', 'http'])
    .transform((transport) => (transport === 'http' ? 'streamable_http' : transport)),
  command: z.string().min(1).optional(),
  args: z.array(z.string()).default([]),
  cwd: z.string().optional(),
  env: strings.default({}),
  url: z.string().min(1).optional(),
  headers: strings.default({}),
  timeout_ms: z.number().int().min(1).max(3_600_000).default(30_000),
  concurrency: z.number().int().min(1).max(1024).default(8),
  placement: z.enum(['shared', 'singleton', 'per_principal']).default('shared'),
  slots: z.number().int().min(1).max(64).default(1),
  sandbox: z
    .strictObject({
      mode: z.enum(['auto', 'required', 'none']).optional(),
      read: z.array(z.string()).default([]),
      write: z.array(z.string()).default([]),
      network: z.boolean().default(true),
    })
    .prefault({}),
  pin: z.enum(['off', 'warn', 'block']).default('warn'),
  trust_annotations: z.boolean().default(false),
  tools: z
    .strictObject({
      allow: z.array(z.string()).optional(),
      deny: z.array(z.string()).optional(),
      overrides: z.record(z.string(), ToolOverride).default({}),
    })
    .prefault({}),
});

/** Body of `PUT /api/uar/mcp/servers/{name}` and of an entry of `mcp.servers` (API.md 3). Placeholders unexpanded. */
export const ServerConfig = ServerFields.superRefine((server, context) => {
  if (server.transport === 'stdio' && server.command === undefined)
    context.addIssue({ code: 'custom', path: ['command'], message: 'transport stdio needs a command' });
  if (server.transport === 'streamable_http' && server.url === undefined)
    context.addIssue({ code: 'custom', path: ['url'], message: 'transport streamable_http needs a url' });
});
export type ServerConfig = z.output<typeof ServerConfig>;

export const ServerStatus = z.enum([
  'disabled',
  'connecting',
  'ready',
  'degraded',
  'crash_loop',
  'auth_required',
  'failed',
  'stopping',
]);
export type ServerStatus = z.output<typeof ServerStatus>;

/** What one host instance says of one server, once a second and on every change. */
export const ServerReport = z.strictObject({
  tenant: TenantId,
  server: z.string(),
  /** Revision of the configuration that this state belongs to. */
  revision: z.number().int(),
  status: ServerStatus,
  /** Changes whenever the host's tool list changes; the registry then reads the list. Absent: no list yet. */
  list_digest: z.string().optional(),
  tool_count: z.number().int(),
  /** Why the list is not whole, when it is not. */
  incomplete: z.string().optional(),
  epoch: z.number().int(),
  since: EpochMs,
  in_flight: z.number().int(),
  restarts: z.number().int(),
  last_error: z.string().optional(),
  last_ok_at: EpochMs.optional(),
  latency_ms: z.number().optional(),
  sandbox_effective: z.string(),
});
export type ServerReport = z.output<typeof ServerReport>;

export const ServerHealth = z.strictObject({
  name: z.string(),
  status: ServerStatus,
  tool_count: z.number().int(),
  replicas: z.array(
    z.strictObject({
      host: InstanceId,
      epoch: z.number().int(),
      since: IsoTime,
      in_flight: z.number().int(),
      restarts: z.number().int(),
      last_error: z.string().optional(),
    }),
  ),
  last_ok_at: IsoTime.optional(),
  latency_ms: z.number().optional(),
});
export type ServerHealth = z.output<typeof ServerHealth>;

export const HealthView = z.strictObject({
  total_tools: z.number().int(),
  connected: z.number().int(),
  servers: z.array(ServerHealth),
});

/** What the outside may see of a server: the body without env and header values (API.md 3). */
export const ServerView = ServerFields.omit({ env: true, headers: true }).extend({
  transport: z.enum(['stdio', 'streamable_http']),
  name: ServerName,
  connected: z.boolean(),
  drift: z.boolean(),
  env_keys: z.array(z.string()),
  header_keys: z.array(z.string()),
  sandbox_effective: z.string(),
  warnings: z.array(z.strictObject({ code: z.string(), key: z.string().optional(), message: z.string() })),
  tools: z.array(z.string()),
});
export type ServerView = z.output<typeof ServerView>;
