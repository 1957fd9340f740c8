import {
  NativeToolSettingsBody,
  NativeToolSettingsView,
  TenantSettingsBody,
  TenantSettingsView,
} from '@uar/contracts';
import { governed } from '../http/access.js';
import { NoQuery } from '../http/asks.js';
import type { Route } from '../http/route.js';

const settings = '/api/uar/settings';

/** API.md 7. */
export const settingsRoutes = {
  readTenantSettings: {
    method: 'get',
    paths: [`${settings}/tenant`],
    access: governed('manageSettings'),
    scope: 'admin',
    summary: 'The settings of the tenant in force now',
    query: NoQuery,
    answers: { 200: TenantSettingsView },
  },
  putTenantSettings: {
    method: 'put',
    paths: [`${settings}/tenant`],
    access: governed('manageSettings'),
    scope: 'admin',
    summary: 'Sets members of the tenant settings; null gives one back to the file',
    query: NoQuery,
    body: TenantSettingsBody,
    answers: { 200: TenantSettingsView },
    errors: [409],
  },
  readNativeToolSettings: {
    method: 'get',
    paths: [`${settings}/native-tools`],
    access: governed('manageSettings'),
    scope: 'admin',
    summary: 'The settings of native tools in force now; tenant default alone',
    query: NoQuery,
    answers: { 200: NativeToolSettingsView },
  },
  putNativeToolSettings: {
    method: 'put',
    paths: [`${settings}/native-tools`],
    access: governed('manageSettings'),
    scope: 'admin',
    summary: 'Sets members of the settings of native tools; null gives one back to the file',
    query: NoQuery,
    body: NativeToolSettingsBody,
    answers: { 200: NativeToolSettingsView },
    errors: [409, 422],
  },
} satisfies Record<string, Route>;
