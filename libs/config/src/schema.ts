import { ProfileName, ServerConfig, TenantId } from '@uar/contracts';
import { z } from 'zod';
import { nativeTools } from './native-tools.js';
import { quotas, rates } from './limits.js';
import { keys, ledger, receipts } from './record.js';

const strings = z.array(z.string()).default([]);
const path = z.string().min(1);
const secret = z
  .string()
  .refine((text) => Buffer.byteLength(text) >= 32, 'needs at least 32 bytes')
  .meta({ secret: true });

const server = z
  .strictObject({
    host: z.string().default('127.0.0.1').describe('Address the gateway listens on.'),
    port: z
      .number()
      .int()
      .min(0)
      .max(65_535)
      .default(1906)
      .describe('Port of the gateway; 0 takes a free one.'),
    public_url: z
      .url()
      .optional()
      .describe('URL clients reach the gateway under. Default: from host and port.'),
    management_host: z.string().default('127.0.0.1').describe('Address of the management listener.'),
    management_port: z
      .number()
      .int()
      .min(0)
      .max(65_535)
      .default(1907)
      .describe('Port of metrics and probes.'),
    shutdown_grace_seconds: z.number().min(0).max(600).default(35).describe('Longest orderly stop.'),
    body_limit_kb: z.number().int().min(1).max(65_536).default(4096).describe('Longest request body.'),
    allowed_hosts: strings.describe('Host headers accepted besides loopback names and the public URL.'),
    allowed_origins: strings.describe('Origins that get CORS.'),
    trusted_proxies: strings.describe('Addresses or CIDR ranges whose X-Forwarded-For is read.'),
    tls: z
      .strictObject({
        cert_file: path.describe('PEM file with the certificate chain.'),
        key_file: path.describe('PEM file with its private key.'),
      })
      .optional()
      .describe('Certificate and key, for TLS on the gateway itself.'),
  })
  .prefault({});

const security = z
  .strictObject({
    jwt_secret: secret.optional().describe('HS256 secret, at least 32 bytes. Excludes jwks_url.'),
    jwt_secret_file: path.optional().describe('File with the HS256 secret.'),
    jwks_url: z.url().optional().describe('Key set of the identity provider. Excludes the secret.'),
    jwt_issuer: z
      .string()
      .optional()
      .describe('Expected `iss`, compared byte for byte. Required with jwks_url.'),
    jwt_audience: z
      .union([z.string(), z.array(z.string()).min(1)])
      .optional()
      .describe('Accepted `aud`. Required with jwks_url.'),
    jwt_algorithms: z
      .array(z.enum(['RS256', 'ES256', 'EdDSA']))
      .min(1)
      .default(['RS256', 'ES256', 'EdDSA'])
      .describe('Algorithms accepted in jwks mode.'),
    authorization_servers: strings.describe('Issuers named in the protected resource metadata.'),
    anonymous: z
      .boolean()
      .default(false)
      .describe('Requests without a token act as user `anonymous` (minimal, loopback only).'),
    require_scopes: z
      .boolean()
      .default(false)
      .describe('Tokens without scopes lack them all; by default they are not held to any.'),
    allow_shared_secret: z.boolean().default(false).describe('Lets profile server-full use an HS256 secret.'),
    default_tenant: TenantId.optional().describe(
      'Tenant of tokens without a tenant claim. Default in minimal: default.',
    ),
    claims: z
      .strictObject({
        tenant: z.string().default('tenant_id').describe('Claim with the tenant.'),
        roles: z.string().default('roles').describe('Claim with the roles, an array of strings.'),
        groups: z.string().default('groups').describe('Claim with the groups, an array of strings.'),
        agent: z
          .string()
          .default('act.sub')
          .describe('Claim with the id of the agent that acts for the user.'),
        mfa: z.string().default('amr').describe('Claim with the authentication methods (RFC 8176).'),
        capabilities: z
          .string()
          .default('capabilities')
          .describe('Claim with the capabilities; absent = all.'),
      })
      .prefault({})
      .describe('Names (dotted paths) of the claims.'),
  })
  .prefault({});

const mcpServers = z.record(z.string(), ServerConfig).default({});

const mcp = z
  .strictObject({
    config_files: z
      .array(z.string())
      .optional()
      .describe(
        'Files in the shape of claude_desktop_config.json or mcp.json. Default: mcp.json where present.',
      ),
    servers: mcpServers.describe('Upstream MCP servers of tenant default.'),
    api_commands: z
      .array(z.string())
      .optional()
      .describe(
        'Commands a stdio server may be registered with by API. Default: any in minimal, none in server-full.',
      ),
    placeholder_allow: strings.describe('Names that ${VAR} may read in server-full.'),
    allowed_private_networks: z
      .array(z.string())
      .optional()
      .describe('Networks upstream URLs may be in besides public ones. Default: loopback in minimal.'),
  })
  .prefault({});

const tenant = z.strictObject({
  kill_switch: z.boolean().default(false).describe('Denies every call of the tenant.'),
  max_unattended_risk: z
    .number()
    .int()
    .min(0)
    .max(4)
    .default(1)
    .describe('Highest risk that may run without a human.'),
  approval_needs_mfa: z
    .boolean()
    .default(false)
    .describe('Votes count only from tokens that prove a second factor.'),
  approval_needs_interactive: z.boolean().optional().describe('Default: true in server-full.'),
  mcp: z
    .strictObject({
      servers: mcpServers.meta({ description: 'Upstream MCP servers of the tenant.', sameAs: 'mcp.servers' }),
    })
    .prefault({}),
});

/** The whole of `uar.yaml` (API.md 1). Members keep the file's snake_case; every key has its default. */
export const UarConfig = z.strictObject({
  profile: ProfileName.default('minimal').describe('minimal or server-full.'),
  data_dir: path.default('.uar').describe('Folder of ledger, keys and memory (0700).'),
  log_level: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('info')
    .describe('Least severe lines that are logged.'),
  server,
  security,
  tenants: z.record(TenantId, tenant).default({}),
  governance: z
    .strictObject({
      enabled: z.boolean().default(true).describe('false skips Cedar; minimal on loopback listeners only.'),
      policies_dir: path.default('deploy/policies').describe('Folder with platform/, tenants/ and cases/.'),
      record_decisions: z
        .boolean()
        .default(true)
        .describe(
          'Keeps decisions and the facts they rest on for 7 days, sealed, so that they can be replayed.',
        ),
    })
    .prefault({}),
  approvals: z
    .strictObject({
      timeout_seconds: z.number().min(1).max(86_400).default(300).describe('How long a human may take.'),
      mcp_wait_seconds: z
        .number()
        .min(1)
        .max(3600)
        .default(45)
        .describe('How long an MCP call without a progress token waits for one.'),
      max_pending: z.number().int().min(1).default(20).describe('Pending approvals per principal.'),
      max_new_per_minute: z
        .number()
        .int()
        .min(1)
        .default(30)
        .describe('New approvals per principal and minute.'),
      webhook: z
        .strictObject({
          url: z.url().describe('URL that hears of new and settled approvals (docs/webhooks.md).'),
          secret_env: z
            .string()
            .regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'is no name of a variable')
            .describe('Variable with the HMAC key of its signature, at least 32 bytes.'),
          format: z
            .enum(['uar', 'slack'])
            .default('uar')
            .describe('Body of a message: our own, or that of a Slack-compatible incoming webhook.'),
        })
        .optional(),
    })
    .prefault({}),
  limits: z
    .strictObject({
      arguments_kb: z.number().int().min(1).max(1024).default(1024).describe('Longest argument text.'),
      result_kb: z.number().int().min(1).max(65_536).default(8192).describe('Longest result.'),
      calls_in_flight: z
        .number()
        .int()
        .min(1)
        .default(1024)
        .describe('Calls in flight per gateway; beyond is overloaded.'),
      rates,
      quotas,
    })
    .prefault({}),
  native_tools: nativeTools,
  memory: z
    .strictObject({
      enabled: z.boolean().default(false).describe('Turns the memory store on. Reserved: true is refused.'),
      mcp_http_enabled: z
        .boolean()
        .default(false)
        .describe('Serves memory as an MCP endpoint too. Reserved: true is refused.'),
      mcp_http_path: z.string().default('/mcp/memory').describe('Path of that endpoint.'),
    })
    .prefault({}),
  mcp,
  receipts,
  ledger,
  keys,
});
export type UarConfig = z.output<typeof UarConfig>;
