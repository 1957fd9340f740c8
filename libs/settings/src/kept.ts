import type { Setting } from '@uar/contracts';
import type { z } from 'zod';

/** One setting of a namespace. `unreadable`: somebody stored what its schema does not take; whoever uses it denies. */
export type Kept<T> =
  | { readonly kind: 'kept'; readonly revision: number; readonly value: T }
  | { readonly kind: 'unreadable'; readonly revision: number };

export function keptOf<S extends z.ZodType>(
  schema: S,
  { revision, value }: Pick<Setting, 'revision' | 'value'>,
): Kept<z.output<S>> {
  const parsed = schema.safeParse(value);
  return parsed.success ? { kind: 'kept', revision, value: parsed.data } : { kind: 'unreadable', revision };
}
