import { fileToolSettings, tenantSettings } from '@uar/config';
import { StoredTenantSettings, TenantId, tenantNamespace, tenantSettingsKey } from '@uar/contracts';
import type { ServiceContext } from '@uar/service';
import { SettingsReplica } from '@uar/settings';
import { LedgerSettings } from '../adapters/bus/settings-store.js';
import { systemClock } from '../adapters/clock.js';
import { Suspension } from '../domain/approval/suspension.js';
import type { WaitingRoom } from '../domain/approval/waiting-room.js';
import type { KillSwitch } from '../domain/settings/kill-switch.js';
import { nativeToolsDocument, tenantDocument, type Settings } from '../domain/settings/documents.js';
import { SettingsDesk } from '../domain/settings/settings-desk.js';

/** A suspension whose announcement was lost still holds within about a second. */
const pollMs = 1_000;

/** What is set by API, and what follows it here. */
export function assembleSettings({ bus, log, config }: ServiceContext, room: WaitingRoom) {
  const governance = config.governance.enabled ? ('on' as const) : ('off' as const);
  const store = new LedgerSettings(bus, { profile: config.profile, governance, now: systemClock.now });
  const settings: Settings = {
    desk: new SettingsDesk(store),
    tenant: tenantDocument((tenant) => tenantSettings(config, tenant)),
    nativeTools: nativeToolsDocument({
      ...fileToolSettings(config),
      ...{ web_fetch_enabled: false, terminal_exec_enabled: false },
      ...{ memory_enabled: false, session_search_enabled: false },
    }),
  };
  const written = new SettingsReplica({
    ...{ bus, log, pollMs },
    ...{ namespace: tenantNamespace, schema: StoredTenantSettings },
  });
  const suspension = new Suspension({
    room,
    clock: systemClock,
    suspended: (tenant) => {
      const kept = written.get(tenant, tenantSettingsKey);
      return kept?.kind === 'kept' ? kept.value.set.suspended : undefined;
    },
  });
  written.onChange(({ tenant }) => suspension.enforce(tenant));
  return {
    settings,
    killSwitch: killSwitchOf(config, written),
    followSettings: () => written.start(),
    stopSettings: () => {
      written.stop();
      suspension.close();
    },
  };
}

/** What the API set, else what the file says. */
function killSwitchOf(
  config: ServiceContext['config'],
  written: SettingsReplica<typeof StoredTenantSettings>,
): KillSwitch {
  return {
    of: (tenant) => {
      const kept = written.get(tenant, tenantSettingsKey);
      if (!written.ready || kept?.kind === 'unreadable') return 'unknown';
      const isOn = kept?.value.set.kill_switch ?? tenantSettings(config, TenantId.parse(tenant)).kill_switch;
      return isOn ? 'on' : 'off';
    },
  };
}
