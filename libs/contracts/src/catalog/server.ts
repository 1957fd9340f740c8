import { z } from 'zod';
import { EpochMs, InstanceId, IsoTime, ServerName, TenantId } from '../ids.js';
import { Capability } from '../principal.js';
import { UpstreamAuth, UpstreamAuthView } from './upstream-auth.js';

export const ToolOverride = z.strictObject({
  read_only: z.boolean().optional().describe('The tool changes nothing.'),
  destructive: z.boolean().optional().describe('The tool may destroy something.'),
  idempotent: z.boolean().optional().describe('A second call with the same arguments changes nothing more.'),
  open_world: z.boolean().optional().describe('The tool reaches beyond what the server owns.'),
  risk: z.number().int().min(0).max(4).optional().describe('Risk from 0 (none) to 4 (critical).'),
  capabilities: z.array(Capability).optional().describe('Capabilities that a caller must hold.'),
  hidden: z.boolean().optional().describe('Leaves the tool out of the catalog.'),
  quorum: z.number().int().min(1).optional().describe('Number of approvers that a call needs.'),
  labels: z.array(z.string()).optional().describe('Labels that policies may name.'),
  secret_pointers: z
    .array(z.string())
    .optional()
    .describe('JSON pointers of arguments that nobody is shown.'),
  task: z
    .boolean()
    .optional()
    .describe(
      'Calls become tasks for clients that know tasks; false: never. Default: what the tool says of itself.',
    ),
  facts: z
    .strictObject({
      paths: z.array(z.string()).default([]).describe('JSON pointers of arguments that are paths.'),
      hosts: z.array(z.string()).default([]).describe('JSON pointers of arguments that are hosts or URLs.'),
      recipients: z
        .array(z.string())
        .default([])
        .describe('JSON pointers of arguments that are mail addresses.'),
      amount: z.string().optional().describe('JSON pointer of the argument that is an amount.'),
    })
    .optional(),
});
export type ToolOverride = z.output<typeof ToolOverride>;

const strings = z.record(z.string(), z.string());

/** How the processes of an upstream are shared out. */
export const ServerPlacement = z.enum(['shared', 'singleton', 'per_principal']);

const ServerFields = z.strictObject({
  enabled: z.boolean().default(true).describe('false keeps the server without connecting it.'),
  transport: z
    .enum(['stdio', 'streamable_http', 'http'])
    .transform((transport) => (transport === 'http' ? 'streamable_http' : transport))
    .describe('How the server is reached; http is another word for streamable_http.'),
  command: z
    .string()
    .min(1)
    .optional()
    .describe('Program of a stdio server; ${VAR} and ${VAR:-default} are filled at each start.'),
  args: z.array(z.string()).default([]).describe('Its arguments.'),
  cwd: z.string().optional().describe('Its working folder.'),
  env: strings
    .default({})
    .describe('Its environment besides the allowed base; stored encrypted, never shown.'),
  url: z.string().min(1).optional().describe('URL of a streamable HTTP server.'),
  headers: strings.default({}).describe('Headers sent to it; stored encrypted, never shown.'),
  auth: UpstreamAuth.optional(),
  timeout_ms: z
    .number()
    .int()
    .min(1)
    .max(3_600_000)
    .default(30_000)
    .describe('Longest call in milliseconds, from dispatch.'),
  concurrency: z.number().int().min(1).max(1024).default(8).describe('Calls in flight at once.'),
  placement: ServerPlacement.default('shared').describe(
    'One process for all, one in the whole pool, or one per principal.',
  ),
  seats_per_principal: z
    .number()
    .int()
    .min(1)
    .max(64)
    .default(16)
    .describe(
      'Sessions that one principal may have at once with a per_principal server, on each connector (ADR 42).',
    ),
  slots: z.number().int().min(1).max(64).default(1).describe('Processes or connections of a shared server.'),
  sandbox: z
    .strictObject({
      mode: z
        .enum(['auto', 'required', 'none'])
        .optional()
        .describe('Default: auto in minimal, required in server-full.'),
      read: z.array(z.string()).default([]).describe('Further folders the sandbox lets it read.'),
      write: z.array(z.string()).default([]).describe('Further folders the sandbox lets it write.'),
      network: z.boolean().default(true).describe('false cuts the network off where the sandbox can.'),
    })
    .prefault({}),
  pin: z
    .enum(['off', 'warn', 'block'])
    .default('warn')
    .describe('What a changed tool definition does: nothing, a warning, or quarantine.'),
  trust_annotations: z
    .boolean()
    .default(false)
    .describe('The operator vouches for the hints of this server.'),
  tools: z
    .strictObject({
      allow: z.array(z.string()).optional().describe('Raw names of the only tools that are taken.'),
      deny: z.array(z.string()).optional().describe('Raw names of tools that are left out.'),
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
  for (const message of authMisfits(server)) context.addIssue({ code: 'custom', path: ['auth'], message });
});
export type ServerConfig = z.output<typeof ServerConfig>;

/** Whatever makes a host connect anew when it changes; the other members only change how the tools are seen. */
export function connectionOf(config: ServerConfig) {
  const { enabled, transport, command, args, cwd, env, url, headers, auth, placement, slots, sandbox } =
    config;
  return { enabled, transport, command, args, cwd, env, url, headers, auth, placement, slots, sandbox };
}

function authMisfits({ auth, transport, headers, placement }: z.output<typeof ServerFields>): string[] {
  if (auth === undefined) return [];
  const misfits: string[] = [];
  if (transport !== 'streamable_http') misfits.push('is for transport streamable_http alone');
  if (Object.keys(headers).some((name) => name.toLowerCase() === 'authorization'))
    misfits.push('excludes a header Authorization');
  if (auth.flow === 'token_exchange' && placement !== 'per_principal')
    misfits.push('flow token_exchange needs placement per_principal');
  return misfits;
}

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
  /** Revision of MCP that the latest connection spoke. */
  mcp_revision: z.string().optional(),
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
  mcp_revision: z.string().optional().describe('Revision of MCP that is spoken with the server.'),
});
export type ServerHealth = z.output<typeof ServerHealth>;

export const HealthView = z.strictObject({
  total_tools: z.number().int(),
  connected: z.number().int(),
  servers: z.array(ServerHealth),
});

/** What the outside may see of a server: the body without env and header values and secrets of `auth` (API.md 3). */
export const ServerView = ServerFields.omit({ env: true, headers: true, auth: true }).extend({
  auth: UpstreamAuthView.optional(),
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
