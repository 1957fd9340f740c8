import type { Bus } from '@uar/bus';
import { readSettings, type Setting, type TenantId } from '@uar/contracts';
import type { z } from 'zod';

export interface KeptEntry<T> {
  readonly key: string;
  readonly revision: number;
  readonly value: T;
}

export type EntriesRead<T> =
  | { readonly kind: 'read'; readonly entries: readonly KeptEntry<T>[] }
  | { readonly kind: 'unavailable'; readonly cause: string };

/** Settings of one tenant, read from the ledger at this moment. What does not fit its schema is left out. */
export async function readEntries<S extends z.ZodType>(
  bus: Bus,
  schema: S,
  of: { readonly namespace: string; readonly tenant: TenantId; readonly key?: string },
): Promise<EntriesRead<z.output<S>>> {
  const reply = await bus.ask(readSettings, of);
  if (reply.kind === 'fault') return { kind: 'unavailable', cause: `ledger_${reply.fault}` };
  return { kind: 'read', entries: reply.value.settings.flatMap((setting) => entryOf(schema, setting)) };
}

function entryOf<S extends z.ZodType>(schema: S, setting: Setting): KeptEntry<z.output<S>>[] {
  const parsed = schema.safeParse(setting.value);
  if (!parsed.success) return [];
  return [{ key: setting.key, revision: setting.revision, value: parsed.data }];
}
