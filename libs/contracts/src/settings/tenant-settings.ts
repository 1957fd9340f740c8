import { z } from 'zod';
import { PlainName } from '../ids.js';

const names = z.array(z.string().min(1).max(256)).max(1_000);

/** Stricter than what is stored: what was taken before stays readable. */
const plainNames = z.array(PlainName).max(1_000);

/** `GET /api/uar/settings/tenant`: what is in force now, whoever set it (API.md 7). */
export const TenantSettings = z.strictObject({
  kill_switch: z.boolean(),
  max_unattended_risk: z.number().int().min(0).max(4),
  approval_needs_mfa: z.boolean(),
  approval_needs_interactive: z.boolean(),
  /** Subjects of users, ids of agents. */
  suspended: z.strictObject({ users: names, agents: names }),
});
export type TenantSettings = z.output<typeof TenantSettings>;

/** `drift`: the API set a member, and the file's value of it changed since. */
export const TenantSettingsView = TenantSettings.extend({ drift: z.boolean() });
export type TenantSettingsView = z.output<typeof TenantSettingsView>;

/** Body of PUT: an absent member stays what it is, `null` gives one back to the file. */
export const TenantSettingsBody = z.strictObject({
  kill_switch: TenantSettings.shape.kill_switch.nullable().optional(),
  max_unattended_risk: TenantSettings.shape.max_unattended_risk.nullable().optional(),
  approval_needs_mfa: TenantSettings.shape.approval_needs_mfa.nullable().optional(),
  approval_needs_interactive: TenantSettings.shape.approval_needs_interactive.nullable().optional(),
  suspended: z.strictObject({ users: plainNames, agents: plainNames }).partial().nullable().optional(),
});
export type TenantSettingsBody = z.output<typeof TenantSettingsBody>;

/** Namespace of the ledger's settings in which API-written tenant settings stand, and their only key. */
export const tenantNamespace = 'tenant';
export const tenantSettingsKey = 'settings';

/** What the API set, and what the file said of the same members then: a file edited since is drift. */
export const StoredTenantSettings = z.strictObject({
  set: TenantSettings.partial(),
  file: TenantSettings.partial(),
});
export type StoredTenantSettings = z.output<typeof StoredTenantSettings>;
