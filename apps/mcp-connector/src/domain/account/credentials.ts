import { createHash } from 'node:crypto';
import { Digest, type ServerConfig } from '@uar/contracts';

/** The tokens of one account, in clear, with whatever their adapter needs to use them: never logged, kept sealed. */
export interface Credentials {
  readonly access_token: string;
  /** Epoch milliseconds; absent: good until it is refused. */
  readonly expires_at?: number | undefined;
  readonly refresh_token?: string | undefined;
  /** Who gave them. */
  readonly source: { readonly issuer: string };
}

/** Of the address and the client as they are written: tokens are used for no others. */
export function bindingOf({ url, auth }: ServerConfig): Digest {
  const members = Object.entries(auth ?? {}).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return digestOf(JSON.stringify([url, members]));
}

/** Milliseconds. A token is replaced so long before it ends, one of a short life in its last fifth. */
const earlyMs = 30_000;

/** When to replace a token that ends then, seen from `now`; epoch milliseconds. */
export function renewTimeOf(endsAt: number, now: number): number {
  return endsAt === Infinity ? Infinity : endsAt - Math.min(earlyMs, (endsAt - now) / 5);
}

/** A state is known by its digest: who reads the ledger cannot finish what others began. */
export function digestOf(text: string): Digest {
  return Digest.parse(`sha256:${createHash('sha256').update(text).digest('hex')}`);
}
