export { limitsSpent, longestQuotaWindowMs, takeQuota } from './limits.js';
export {
  FileToolSettings,
  NativeToolSettings,
  NativeToolSettingsBody,
  NativeToolSettingsView,
  StoredNativeTools,
  nativeToolsKey,
  nativeToolsNamespace,
  operatorTenant,
} from './native-settings.js';
export {
  StoredTenantSettings,
  TenantSettings,
  TenantSettingsBody,
  TenantSettingsView,
  tenantNamespace,
  tenantSettingsKey,
} from './tenant-settings.js';
