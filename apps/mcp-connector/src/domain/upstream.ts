import type { HostAnswer, ServerConfig } from '@uar/contracts';
import type { JsonText } from '@uar/json-text';

/** A server's configuration with every placeholder filled in: holds secrets, is never stored or logged. */
export interface ExpandedServer {
  readonly tenant: string;
  readonly name: string;
  readonly config: ServerConfig;
  /** Values that no log, report or error may show. */
  readonly secrets: readonly string[];
}

export interface UpstreamCall {
  readonly rawName: string;
  readonly arguments: JsonText;
  /** From dispatch to answer. */
  readonly timeoutMs: number;
  readonly maxResultBytes: number;
  /** Abort = cancel upstream; the call then ends as `cancelled`. */
  readonly signal: AbortSignal;
  /** `params` of each `notifications/progress` without the token, as JSON text. Absent: none is asked for. */
  readonly onProgress?: (paramsJson: string) => void;
}

/** How a dispatched call ended. `unavailable` only where it is certain that nothing left this process. */
export type CallEnd = Exclude<HostAnswer, { kind: 'refused' | 'not_owner' | 'overloaded' }>;

export type ListPage =
  | { readonly kind: 'page'; readonly definitions: readonly string[]; readonly nextCursor?: string }
  | { readonly kind: 'failed'; readonly message: string };

/** Why a connection is over. */
export interface Loss {
  readonly message: string;
  readonly authRequired: boolean;
}

/** One initialized connection to an upstream (a port: the SDK's client over a transport of ours stands behind it). */
export interface Upstream {
  /** Settles when the connection is over, whoever ended it. */
  readonly lost: Promise<Loss>;
  listPage(cursor: string | undefined, signal: AbortSignal): Promise<ListPage>;
  /** Dispatches exactly once and never rejects. */
  call(call: UpstreamCall): Promise<CallEnd>;
  /** True when the upstream answered, with whatever. */
  ping(timeoutMs: number): Promise<boolean>;
  close(): Promise<void>;
}

export type Opened =
  | { readonly kind: 'open'; readonly upstream: Upstream; readonly sandbox: string }
  | { readonly kind: 'auth_required'; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string };

export interface OpenOptions {
  /** Abort = give up; what is half open is closed. */
  readonly signal: AbortSignal;
  readonly onToolsChanged: () => void;
  /** A message could not even be sent, although the connection was not over: it should be made anew. */
  readonly onUnreachable: () => void;
}

/** Opens and initializes one connection. Messages are free of secrets. Never rejects. */
export type OpenUpstream = (server: ExpandedServer, options: OpenOptions) => Promise<Opened>;
