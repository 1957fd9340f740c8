import { AgentId, TenantId } from '@uar/contracts';
import { z } from 'zod';

/** What a flag or its `UAR_PROXY_*` variable says, as text. */
export interface ProxyTexts {
  readonly listen?: string | undefined;
  readonly upstream?: string | undefined;
  readonly config?: string | undefined;
  readonly sub?: string | undefined;
  readonly name?: string | undefined;
  readonly roles?: string | undefined;
  readonly groups?: string | undefined;
  readonly tenant?: string | undefined;
  readonly agent?: string | undefined;
  readonly scopes?: string | undefined;
  readonly ttlSecs?: string | undefined;
}

export const defaultListen = '127.0.0.1:8088';
const defaultIdentity = { sub: 'dev', name: 'Local Dev', roles: ['admin', 'user'], groups: [] };
const defaultTtlSeconds = 300;

const list = z
  .string()
  .transform((text) => text.split(',').map((item) => item.trim()))
  .transform((items) => items.filter((item) => item !== ''));

const Settings = z.strictObject({
  sub: z.string().min(1).max(256).default(defaultIdentity.sub),
  name: z.string().max(256).default(defaultIdentity.name),
  roles: list.default([...defaultIdentity.roles]),
  groups: list.default([]),
  tenant: TenantId.optional(),
  agent: AgentId.optional(),
  /** Absent: no scope claim; an empty one no gateway takes. */
  scopes: list.pipe(z.array(z.string()).min(1, 'at least one')).optional(),
  ttl_secs: z
    .string()
    .regex(/^\d{1,4}$/, 'whole seconds, 1 to 300')
    .transform(Number)
    .pipe(z.int().min(1).max(300))
    .default(defaultTtlSeconds),
});

export type ProxySettings = z.output<typeof Settings>;

/** Flag over environment. An empty variable counts as unset; an empty flag is an empty text. */
export function mergeTexts(flags: ProxyTexts, env: Readonly<Record<string, string | undefined>>): ProxyTexts {
  const variable = (name: string): string | undefined => {
    const text = env[`UAR_PROXY_${name}`];
    return text === '' ? undefined : text;
  };
  return {
    listen: flags.listen ?? variable('LISTEN'),
    upstream: flags.upstream ?? variable('UPSTREAM'),
    config: flags.config ?? variable('CONFIG'),
    sub: flags.sub ?? variable('SUB'),
    name: flags.name ?? variable('NAME'),
    roles: flags.roles ?? variable('ROLES'),
    groups: flags.groups ?? variable('GROUPS'),
    tenant: flags.tenant ?? variable('TENANT'),
    agent: flags.agent ?? variable('AGENT'),
    scopes: flags.scopes ?? variable('SCOPES'),
    ttlSecs: flags.ttlSecs ?? variable('TTL_SECS'),
  };
}

export type ReadSettings =
  | { readonly kind: 'settings'; readonly settings: ProxySettings }
  | { readonly kind: 'bad'; readonly problem: string };

export function readSettings(texts: ProxyTexts): ReadSettings {
  const { sub, name, roles, groups, tenant, agent, scopes, ttlSecs } = texts;
  const given = Object.entries({ sub, name, roles, groups, tenant, agent, scopes, ttl_secs: ttlSecs });
  const parsed = Settings.safeParse(Object.fromEntries(given.filter(([, value]) => value !== undefined)));
  if (parsed.success) return { kind: 'settings', settings: parsed.data };
  const lines = parsed.error.issues.map(
    (issue) => `--${issue.path.join('.').replace('_', '-')}: ${issue.message}`,
  );
  return { kind: 'bad', problem: lines.join('\n') };
}
