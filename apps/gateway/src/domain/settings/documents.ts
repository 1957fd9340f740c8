import {
  StoredNativeTools,
  StoredTenantSettings,
  nativeToolsKey,
  nativeToolsNamespace,
  operatorTenant,
  tenantNamespace,
  tenantSettingsKey,
  type NativeToolSettings,
  type NativeToolSettingsBody,
  type TenantId,
  type TenantSettings,
} from '@uar/contracts';
import type { SettingsDesk, SettingsDocument } from './settings-desk.js';

export function tenantDocument(file: (tenant: TenantId) => TenantSettings): SettingsDocument {
  return {
    namespace: tenantNamespace,
    key: tenantSettingsKey,
    stored: StoredTenantSettings,
    tenantOf: ({ tenant }) => tenant,
    file,
  };
}

export function nativeToolsDocument(file: NativeToolSettings): SettingsDocument {
  return {
    namespace: nativeToolsNamespace,
    key: nativeToolsKey,
    stored: StoredNativeTools,
    tenantOf: () => operatorTenant,
    file: () => file,
  };
}

type FamilySwitch = Exclude<keyof NativeToolSettings, `file_${string}`>;

const missingFamilies: readonly FamilySwitch[] = [
  'web_fetch_enabled',
  'terminal_exec_enabled',
  'memory_enabled',
  'session_search_enabled',
];

/** Switches of parts that this version does not have: as at the start, one that is turned on is refused, not ignored. */
export function notAvailableOf(body: NativeToolSettingsBody): readonly string[] {
  return missingFamilies.filter((family) => body[family] === true);
}

/** What is left to store: a switch that cannot be on is not worth a place. */
export function storedPartOf(body: NativeToolSettingsBody): Readonly<Record<string, unknown>> {
  const names: readonly string[] = missingFamilies;
  return Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));
}

/** What the settings routes need. */
export interface Settings {
  readonly desk: SettingsDesk;
  readonly tenant: SettingsDocument;
  readonly nativeTools: SettingsDocument;
}

/** Injection token of the Settings. */
export const SETTINGS = Symbol('uar.gateway.settings');
