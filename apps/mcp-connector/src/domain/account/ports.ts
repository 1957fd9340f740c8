import type { AccountId, Digest, ReceiptBody } from '@uar/contracts';
import type { ExpandedServer } from '../upstream.js';
import type { Credentials } from './credentials.js';

/** What the `WWW-Authenticate` of an upstream's last 401 or 403 said (RFC 6750, RFC 9728). */
export interface Hints {
  /** URL of the protected resource metadata. */
  readonly resourceMetadata?: string;
  /** Scopes, separated by spaces. */
  readonly scope?: string;
  /** `insufficient_scope`: more is wanted than the token permits. */
  readonly error?: string;
}

/** No message repeats what an authorization server wrote, but error codes. */
export interface Refusal {
  /**
   * `authorization_needed`: somebody has to agree (again). `refused`: it goes no better until somebody changes something.
   * `unreachable`: asked later, it may go.
   */
  readonly kind: 'authorization_needed' | 'refused' | 'unreachable';
  readonly message: string;
}

export type Granted = { readonly kind: 'granted'; readonly credentials: Credentials } | Refusal;

export interface Wanted {
  readonly hints: Hints;
  /** What is no longer good, or not for enough: as much is asked for again, and more, by the client that was registered with it. */
  readonly earlier?: Credentials | undefined;
  /** The issuer that alone may be asked; absent: the configured or the named one. */
  readonly pinned?: string | undefined;
}

export interface Beginning extends Wanted {
  readonly redirectUri: string;
}

export type Begun =
  | {
      readonly kind: 'begun';
      readonly authorizationUrl: string;
      readonly state: string;
      /** Needed to finish, as text; holds secrets. */
      readonly pending: string;
    }
  | Refusal;

/** What the browser brought back (RFC 6749 4.1.2, RFC 9207). */
export interface AuthorizationAnswer {
  readonly state: string;
  readonly code?: string | undefined;
  readonly iss?: string | undefined;
  readonly error?: string | undefined;
}

/** The authorization servers of upstreams. Nothing rejects. */
export interface AuthorizationServers {
  /** The issuer that would be asked; it is sent no secret. */
  issuer(
    server: ExpandedServer,
    hints: Hints,
  ): Promise<{ readonly kind: 'found'; readonly issuer: string } | Refusal>;
  begin(server: ExpandedServer, beginning: Beginning): Promise<Begun>;
  finish(server: ExpandedServer, pending: string, answer: AuthorizationAnswer): Promise<Granted>;
  refresh(server: ExpandedServer, credentials: Credentials): Promise<Granted>;
  clientCredentials(server: ExpandedServer, wanted: Wanted): Promise<Granted>;
  /** For whoever the token of a caller stands for (RFC 8693). */
  exchange(server: ExpandedServer, callerToken: string, hints: Hints): Promise<Granted>;
  /** Gives tokens back; false: that is not offered, or did not succeed. */
  revoke(server: ExpandedServer, credentials: Credentials): Promise<boolean>;
}

/** Authorizations that browsers are about to bring back, for whichever connector is asked then. Nothing rejects. */
export interface AuthorizationStore {
  keep(pending: PendingAuthorization): Promise<{ readonly kind: 'kept' } | Lost>;
  /** Given out once, by the state. */
  take(
    state: string,
  ): Promise<
    | ({ readonly kind: 'taken' } & PendingAuthorization)
    | { readonly kind: 'used' | 'expired' | 'unknown' }
    | Lost
  >;
}

export interface PendingAuthorization {
  readonly account: AccountId;
  readonly state: string;
  readonly binding: Digest;
  /** As `begin` gave it. */
  readonly pending: string;
  /** Of who began it. */
  readonly receipt: ReceiptBody;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/** An account as the ledger has it. */
export interface Kept {
  readonly revision: number;
  /** Absent: none, or for another address or client, or sealed with another key. */
  readonly credentials?: Credentials;
  /** Pinned while there are none. */
  readonly issuer?: string;
}

export interface Lost {
  readonly kind: 'unavailable';
}

export interface NextCredentials {
  readonly binding: Digest;
  readonly ifRevision: number;
  /** Absent: forgets them. */
  readonly credentials?: Credentials;
  /** Stays pinned without credentials, which name theirs themselves. */
  readonly issuer?: string | undefined;
  /** Where somebody decided it; written along. */
  readonly receipt?: ReceiptBody;
}

/** Credentials that outlive this process, for all connectors. Nothing rejects. */
export interface CredentialStore {
  read(account: AccountId, binding: Digest): Promise<Kept | Lost>;
  /** Compare and set. */
  write(
    account: AccountId,
    next: NextCredentials,
  ): Promise<{ readonly kind: 'written'; readonly revision: number } | { readonly kind: 'conflict' } | Lost>;
  /** For one connector at a time; `held`: milliseconds until somebody else's time is over. */
  lease(
    account: AccountId,
    ifRevision: number,
  ): Promise<
    | { readonly kind: 'leased' }
    | { readonly kind: 'moved' }
    | { readonly kind: 'held'; readonly freeInMs: number }
    | Lost
  >;
  release(account: AccountId, ifRevision: number): Promise<void>;
}
