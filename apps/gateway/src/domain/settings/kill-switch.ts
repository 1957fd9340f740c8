/** `unknown`: the settings were not read yet, or cannot be; whoever needs to know denies. */
export type KillSwitchState = 'on' | 'off' | 'unknown';

/** The kill switch of each tenant, as this gateway follows it. */
export interface KillSwitch {
  of(tenant: string): KillSwitchState;
}

/** Injection token of the KillSwitch. */
export const KILL_SWITCH = Symbol('uar.gateway.kill-switch');
