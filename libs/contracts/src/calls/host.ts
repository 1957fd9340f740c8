import { z } from 'zod';
import { announcement, exchange } from '../exchange.js';
import { CallerTokenText } from './caller-token.js';
import { GrantText, PublicKeyHalf } from './grant.js';
import { Seat } from './seat.js';
import { CallId, Digest, TenantId } from '../ids.js';
import { ServerConfig, ServerReport } from '../catalog/server.js';

const HostCall = z.strictObject({
  grant: GrantText,
  call_id: CallId,
  tenant: TenantId,
  server: z.string(),
  raw_name: z.string(),
  definition_digest: Digest,
  /** Argument text (DESIGN.md 8): goes into the upstream's frame as it is. */
  arguments_json: z.string(),
  /** Milliseconds from dispatch to answer. */
  timeout_ms: z.number().int().positive(),
  /** Longest result in bytes. */
  max_result_bytes: z.number().int().positive(),
  wants_progress: z.boolean(),
  /** Where the server is placed `per_principal`. */
  seat: Seat.optional(),
  /** Where the server acts for the caller by tokens that theirs is exchanged for. */
  caller_token: CallerTokenText.optional(),
});

/** How a host ended a call. `refused` and `unavailable` prove that nothing was dispatched. */
export const HostAnswer = z.discriminatedUnion('kind', [
  /** `result_json`: the CallToolResult as the upstream sent it. */
  z.strictObject({ kind: z.literal('ran'), result_json: z.string(), is_error: z.boolean() }),
  z.strictObject({
    kind: z.literal('upstream_error'),
    code: z.number(),
    message: z.string(),
    data_json: z.string().optional(),
    /** Client capabilities that the upstream asked for in vain during the call: its seat does not declare them. */
    lacking: z.array(z.string()).optional(),
  }),
  /** The grant does not hold, was used, or is for somebody else. */
  z.strictObject({ kind: z.literal('refused'), cause: z.string() }),
  /** This instance does not serve the server: another may, with a new grant. */
  z.strictObject({ kind: z.literal('not_owner') }),
  /**
   * `cause`: what is missing are credentials. Those of the server or of the principal somebody can give; the caller came with no
   * token that could be exchanged; or the authorization server gave none for it.
   */
  z.strictObject({
    kind: z.literal('unavailable'),
    message: z.string(),
    cause: z
      .enum(['auth_required', 'own_auth_required', 'caller_token_missing', 'exchange_refused'])
      .optional(),
  }),
  z.strictObject({ kind: z.literal('overloaded'), retry_after_ms: z.number().int() }),
  z.strictObject({ kind: z.literal('timeout') }),
  z.strictObject({ kind: z.literal('transport_failure'), message: z.string() }),
  z.strictObject({ kind: z.literal('result_too_large'), bytes: z.number().int() }),
  z.strictObject({ kind: z.literal('cancelled'), dispatched: z.boolean() }),
]);
export type HostAnswer = z.output<typeof HostAnswer>;

const runCall = (host: 'mcp' | 'native') =>
  exchange({
    subject: `uar.v1.host.${host}.call.run`,
    reach: 'instance',
    ask: HostCall,
    answer: HostAnswer,
    deadlineMs: 3_660_000,
  });

const cancelCall = (host: 'mcp' | 'native') =>
  exchange({
    subject: `uar.v1.host.${host}.call.cancel`,
    reach: 'instance',
    ask: z.strictObject({ call_id: CallId, reason: z.string().optional() }),
    answer: z.strictObject({ found: z.boolean() }),
    deadlineMs: 2_000,
  });

/** Longest page of a tool list, in bytes of JSON: it stays below the length at which the bus cuts answers into parts. */
export const listPageBytes = 256 * 1024;

const listTools = (host: 'mcp' | 'native') =>
  exchange({
    subject: `uar.v1.host.${host}.tools.list`,
    reach: 'instance',
    ask: z.strictObject({
      tenant: TenantId,
      server: z.string(),
      /** Where to go on, in which list; absent: the first page of the list as it is now. */
      from: z.strictObject({ list_digest: z.string(), start: z.number().int().nonnegative() }).optional(),
    }),
    answer: z.discriminatedUnion('kind', [
      /** One page, `listPageBytes` of JSON at most: nobody writes or reads a long list in one go. */
      z.strictObject({
        kind: z.literal('listed'),
        list_digest: z.string(),
        /** MCP tool objects as JSON text, in the host's order. */
        definitions: z.array(z.string()),
        incomplete: z.string().optional(),
        /** Raw names that stood twice in the list: none of them is served. */
        duplicates: z.array(z.string()),
        /** `start` of the next page; absent in the last one. */
        next: z.number().int().positive().optional(),
      }),
      /** The list is another one by now than that of the page asked for. */
      z.strictObject({ kind: z.literal('stale') }),
      z.strictObject({ kind: z.literal('not_owner') }),
    ]),
    deadlineMs: 10_000,
  });

/** A decider offers a key, signed; the host answers with its half. Grants under that key are not signed (ADR 54). */
const agreeKey = (host: 'mcp' | 'native') =>
  exchange({
    subject: `uar.v1.host.${host}.key.agree`,
    reach: 'instance',
    ask: z.strictObject({ offer: z.string().max(2048) }),
    answer: z.discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('agreed'), public_key: PublicKeyHalf }),
      z.strictObject({ kind: z.literal('refused'), cause: z.string() }),
    ]),
    deadlineMs: 2_000,
  });

export type HostCall = z.output<typeof HostCall>;

const hostExchanges = (host: 'mcp' | 'native') => ({
  run: runCall(host),
  cancel: cancelCall(host),
  listTools: listTools(host),
  agreeKey: agreeKey(host),
});

export const hosts = { mcp: hostExchanges('mcp'), native: hostExchanges('native') } as const;

/** What the host of native tools states about each of them; the registry takes it as given (GOVERNANCE.md 2). */
export const NativeToolStatement = z.strictObject({
  family: z.string(),
  capabilities: z.array(z.enum(['read', 'write', 'execute', 'network', 'memory'])),
  risk: z.number().int().min(0).max(4),
  read_only: z.boolean(),
  destructive: z.boolean(),
  idempotent: z.boolean(),
  open_world: z.boolean(),
  /** JSON pointers of the arguments that are paths. */
  paths: z.array(z.string()),
  /** JSON pointers of the arguments that are hosts or URLs. */
  hosts: z.array(z.string()).optional(),
  timeout_ms: z.number().int().positive(),
});
export type NativeToolStatement = z.output<typeof NativeToolStatement>;

export const readNativeStatements = exchange({
  subject: 'uar.v1.host.native.statements.read',
  reach: 'instance',
  ask: z.strictObject({}),
  answer: z.strictObject({ statements: z.record(z.string(), NativeToolStatement) }),
  deadlineMs: 5_000,
});

/** Opens a connection of its own with this configuration, lists, and closes it again. Persists nothing. */
export const tryServer = exchange({
  subject: 'uar.v1.host.mcp.server.try',
  ask: z.strictObject({ tenant: TenantId, name: z.string(), config: ServerConfig, connect: z.boolean() }),
  answer: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('connected'), tool_count: z.number().int(), latency_ms: z.number() }),
    /** `connect` was false and every placeholder resolves. */
    z.strictObject({ kind: z.literal('resolved') }),
    z.strictObject({ kind: z.literal('placeholder_unresolved'), missing: z.array(z.string()) }),
    z.strictObject({ kind: z.literal('connect_failed'), message: z.string() }),
  ]),
  deadlineMs: 35_000,
});

export const reconnectServer = exchange({
  subject: 'uar.v1.host.mcp.server.reconnect',
  reach: 'instance',
  ask: z.strictObject({ tenant: TenantId, server: z.string() }),
  answer: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('reconnected'), report: ServerReport }),
    z.strictObject({ kind: z.literal('not_owner') }),
    z.strictObject({ kind: z.literal('stopping') }),
  ]),
  deadlineMs: 35_000,
});

/** Progress of a call that wanted it; `params_json` is the upstream's `notifications/progress` params without its token. */
export const callProgressed = announcement({
  subject: 'uar.v1.event.call.progressed',
  body: z.strictObject({ call_id: CallId, params_json: z.string() }),
});
