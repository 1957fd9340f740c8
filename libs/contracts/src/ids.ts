import { z } from 'zod';

/** `sha256:` and 64 lower-case hex digits. */
export const Digest = z.string().regex(/^sha256:[0-9a-f]{64}$/);
export type Digest = z.output<typeof Digest>;

/** Tenant id as it stands in Cedar ids: no slash, no control characters. */
export const TenantId = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/)
  .brand<'TenantId'>();
export type TenantId = z.output<typeof TenantId>;

/** `call_` and 32 hex digits, unique for all time. */
export const CallId = z
  .string()
  .regex(/^call_[0-9a-f]{32}$/)
  .brand<'CallId'>();
export type CallId = z.output<typeof CallId>;

/** Public tool name: `server__tool`, at most 64 characters of `[A-Za-z0-9_-]`. */
export const ToolName = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/)
  .brand<'ToolName'>();
export type ToolName = z.output<typeof ToolName>;

/** What executes calls: upstreams behind a connector, the tools of this product, or a gateway itself (`/mcp/uar`). */
export const HostKind = z.enum(['mcp', 'native', 'gateway']);
export type HostKind = z.output<typeof HostKind>;

export const ServerName = z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/);
export type ServerName = z.output<typeof ServerName>;

export const ApprovalId = z.string().regex(/^appr_[0-9a-f]{32}$/);
export type ApprovalId = z.output<typeof ApprovalId>;

export const RunId = z.string().regex(/^run_[0-9a-f]{16,32}$/);
export type RunId = z.output<typeof RunId>;

/** A running process of a service: 16 hex digits, made at start, safe inside a subject. */
export const InstanceId = z.string().regex(/^[0-9a-f]{16}$/);
export type InstanceId = z.output<typeof InstanceId>;

/** Milliseconds since 1970-01-01 UTC. Inside and on the bus; HTTP shows ISO 8601. */
export const EpochMs = z.number().int().nonnegative();

/** ISO 8601 in UTC with milliseconds, as `Date.prototype.toISOString` writes it. */
export const IsoTime = z.iso.datetime();

/** A time that somebody asks about: one that can be said in `EpochMs`. */
export const AskedTime = IsoTime.refine((text) => Date.parse(text) >= 0, {
  message: 'must be 1970-01-01T00:00:00Z or later',
});

const controls = 'must hold no control characters';

/** A name that people read, on one line. */
export const PlainName = z
  .string()
  .min(1)
  .max(256)
  .regex(/^[^\p{Cc}]*$/u, controls);

/** What people read, with line feeds and tabs. */
export const PlainText = z.string().regex(/^(?:[^\p{Cc}]|[\n\t])*$/u, `${controls} but line feeds and tabs`);
