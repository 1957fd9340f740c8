import type { Bus } from '@uar/bus';
import { readSettings, type Setting, type TenantId } from '@uar/contracts';
import type { z } from 'zod';
import { keptOf, type Kept } from './kept.js';

export type KeptEntry<T> = Kept<T> & Pick<Setting, 'tenant' | 'key'>;

/** `unavailable`: the ledger did not answer. */
export type KeptRead<T> =
  | { readonly kind: 'read'; readonly entries: readonly KeptEntry<T>[] }
  | { readonly kind: 'unavailable'; readonly cause: string };

/** Settings of one namespace as the ledger holds them at this moment; of one tenant, or with one key, where that is named. */
export async function readKept<S extends z.ZodType>(
  bus: Bus,
  schema: S,
  of: { readonly namespace: string; readonly tenant?: TenantId; readonly key?: string },
): Promise<KeptRead<z.output<S>>> {
  const reply = await bus.ask(readSettings, of);
  if (reply.kind === 'fault') return { kind: 'unavailable', cause: reply.fault };
  const entries = reply.value.settings.map((setting) => {
    const { tenant, key } = setting;
    return { tenant, key, ...keptOf(schema, setting) };
  });
  return { kind: 'read', entries };
}
