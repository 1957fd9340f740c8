import type { CallId } from '@uar/contracts';
import type { MissingCredentials } from '../upstream.js';
import type { Hints } from './ports.js';

export type Token =
  | { readonly kind: 'token'; readonly token: string }
  /** Nobody has one yet: the upstream may do without, or says what it wants. */
  | { readonly kind: 'none' }
  /** `missing`: where it is something else than what is missing of the bearer. */
  | { readonly kind: 'auth_required'; readonly message: string; readonly missing?: MissingCredentials }
  | { readonly kind: 'unavailable'; readonly message: string };

/** What a token is for. */
export interface TokenUse {
  /** Nobody waits any more. */
  readonly signal: AbortSignal;
  /** Absent: what the connector sends is part of no call. */
  readonly callId?: CallId | undefined;
}

/** What proves the connector to one upstream, for whom it acts there. */
export interface Bearer {
  token(use: TokenUse): Promise<Token>;
  /** Another one than the one that was refused, if there can be. */
  renew(refused: string | undefined, hints: Hints, use: TokenUse): Promise<Token>;
  /** Whether the upstream took the token that was used last; not, with what it said: nobody asks for others at once. */
  heard(refusal: string | undefined, use: TokenUse): void;
  /** What no report or answer may repeat. */
  secrets(): readonly string[];
  /** What is missing where there is no token. */
  readonly missing: MissingCredentials;
}
