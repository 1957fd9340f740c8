import type { Bus } from '@uar/bus';
import { readSettings, type TenantId } from '@uar/contracts';
import type { z } from 'zod';
import type { Kept } from './replica.js';

/** `unavailable`: the ledger did not answer. */
export type KeptRead<T> =
  | { readonly kind: 'read'; readonly entries: readonly (Kept<T> & { readonly key: string })[] }
  | { readonly kind: 'unavailable'; readonly cause: string };

/** Settings of one tenant as the ledger holds them at this moment; with `key` that one, where it is there. */
export async function readKept<S extends z.ZodType>(
  bus: Bus,
  schema: S,
  of: { readonly namespace: string; readonly tenant: TenantId; readonly key?: string },
): Promise<KeptRead<z.output<S>>> {
  const reply = await bus.ask(readSettings, of);
  if (reply.kind === 'fault') return { kind: 'unavailable', cause: reply.fault };
  const entries = reply.value.settings.map(({ key, revision, value }) => {
    const parsed = schema.safeParse(value);
    return parsed.success
      ? ({ kind: 'kept', key, revision, value: parsed.data } as const)
      : ({ kind: 'unreadable', key, revision } as const);
  });
  return { kind: 'read', entries };
}
