import { z } from 'zod';
import { TenantId } from '../ids.js';

const kilobytes = z.number().int().min(1).max(1_048_576);

/** What of the native tools can be set at run time: the family that exists, and its limits. */
export const FileToolSettings = z.strictObject({
  file_tools_enabled: z.boolean(),
  /** Absolute folders; empty = none. */
  file_allowed_paths: z
    .array(
      z
        .string()
        .max(4_096)
        .regex(/^\/\P{Cc}*$/u, 'is no absolute path'),
    )
    .max(1_000),
  file_max_size_kb: kilobytes,
  file_write_max_kb: kilobytes,
});
export type FileToolSettings = z.output<typeof FileToolSettings>;

/** `GET /api/uar/settings/native-tools`: what is in force now, whoever set it (API.md 7). */
export const NativeToolSettings = FileToolSettings.extend({
  web_fetch_enabled: z.boolean(),
  terminal_exec_enabled: z.boolean(),
  memory_enabled: z.boolean(),
  session_search_enabled: z.boolean(),
});
export type NativeToolSettings = z.output<typeof NativeToolSettings>;

export const NativeToolSettingsView = NativeToolSettings.extend({ drift: z.boolean() });
export type NativeToolSettingsView = z.output<typeof NativeToolSettingsView>;

/** Body of PUT: an absent member stays what it is, `null` gives one back to the file. */
export const NativeToolSettingsBody = z.strictObject({
  file_tools_enabled: FileToolSettings.shape.file_tools_enabled.nullable().optional(),
  file_allowed_paths: FileToolSettings.shape.file_allowed_paths.nullable().optional(),
  file_max_size_kb: FileToolSettings.shape.file_max_size_kb.nullable().optional(),
  file_write_max_kb: FileToolSettings.shape.file_write_max_kb.nullable().optional(),
  /** Of families that this version does not have: `true` is refused. */
  web_fetch_enabled: z.boolean().nullable().optional(),
  terminal_exec_enabled: z.boolean().nullable().optional(),
  memory_enabled: z.boolean().nullable().optional(),
  session_search_enabled: z.boolean().nullable().optional(),
});
export type NativeToolSettingsBody = z.output<typeof NativeToolSettingsBody>;

/** Native tools belong to the installation, not to a tenant: their settings stand under the operator's. */
export const operatorTenant = TenantId.parse('default');

/** Namespace of the ledger's settings in which API-written settings of native tools stand, and their only key. */
export const nativeToolsNamespace = 'native-tools';
export const nativeToolsKey = 'settings';

/** What the API set, and what the file said of the same members then. */
export const StoredNativeTools = z.strictObject({
  set: FileToolSettings.partial(),
  file: FileToolSettings.partial(),
});
export type StoredNativeTools = z.output<typeof StoredNativeTools>;
