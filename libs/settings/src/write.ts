import type { Bus } from '@uar/bus';
import {
  principalId,
  writeSetting,
  type AskOf,
  type Principal,
  type ProfileName,
  type ReceiptBody,
  type ReceiptPosition,
} from '@uar/contracts';

/** What a write led to. `unavailable`: nothing is known to have changed. */
export type SettingWritten =
  | { readonly kind: 'written'; readonly revision: number; readonly receipt?: ReceiptPosition }
  | { readonly kind: 'conflict'; readonly revision: number }
  | { readonly kind: 'unavailable'; readonly cause: string };

/** Compare and set, durable when it is answered (`writeSetting`). */
export async function writeKept(bus: Bus, ask: AskOf<typeof writeSetting>): Promise<SettingWritten> {
  const reply = await bus.ask(writeSetting, ask);
  if (reply.kind === 'fault') return { kind: 'unavailable', cause: reply.fault };
  if (reply.value.kind === 'conflict') return reply.value;
  const { revision, receipt } = reply.value;
  return { kind: 'written', revision, ...(receipt === undefined ? {} : { receipt }) };
}

/** The receipt of an administrative write (API.md 7): who did what, e.g. `agent.put coder`. */
export function adminReceipt(
  principal: Principal,
  action: string,
  setting: { readonly profile: ProfileName; readonly governance: 'on' | 'off'; readonly at: number },
): ReceiptBody {
  return {
    at: new Date(setting.at).toISOString(),
    kind: 'admin',
    tenant: principal.tenant,
    principal: principalId(principal),
    ...(principal.agent_id === undefined ? {} : { agent: principal.agent_id }),
    governance: setting.governance,
    profile: setting.profile,
    action,
  };
}
