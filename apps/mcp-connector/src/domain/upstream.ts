import type {
  CallId,
  CallMethod,
  Digest,
  HostAnswer,
  ItemListName,
  LogLevel,
  ServerConfig,
  TenantId,
} from '@uar/contracts';
import type { JsonText } from '@uar/json-text';
import type { ClientSide } from './client-side.js';

/** A server's configuration with every placeholder filled in: holds secrets, is never stored or logged. */
export interface ExpandedServer {
  readonly tenant: TenantId;
  readonly name: string;
  readonly config: ServerConfig;
  /** Values that no log, report or error may show. */
  readonly secrets: readonly string[];
  /** Of its address and client as they are written. */
  readonly binding: Digest;
}

export interface UpstreamCall {
  /** Absent: the host's own, of no call. */
  readonly callId?: CallId;
  readonly method: CallMethod;
  /** Those of a tool call, or the whole `params` of another request. */
  readonly params: { readonly name: string; readonly arguments: JsonText } | JsonText;
  /** Of the tool that is called, as the upstream lists it. */
  readonly definition?: string | undefined;
  /** From dispatch to answer. */
  readonly timeoutMs: number;
  readonly maxResultBytes: number;
  /** Abort = cancel upstream; the call then ends as `cancelled`. */
  readonly signal: AbortSignal;
  /** `params` of each `notifications/progress` without the token, as JSON text. Absent: none is asked for. */
  readonly onProgress?: (paramsJson: string) => void;
}

/** Whose credentials somebody has to give before a call can run. */
export type MissingCredentials = NonNullable<Extract<HostAnswer, { kind: 'unavailable' }>['cause']>;

/** How a dispatched call ended. `unavailable` only where it is certain that nothing left this process. */
export type CallEnd = Exclude<HostAnswer, { kind: 'refused' | 'not_owner' | 'overloaded' }>;

export type ListPage =
  | { readonly kind: 'page'; readonly definitions: readonly string[]; readonly nextCursor?: string }
  | { readonly kind: 'failed'; readonly message: string };

/** What an upstream pages. */
export type ListName = 'tools' | ItemListName;

/** What the upstream declared of itself. */
export interface Offers {
  readonly logging: boolean;
  /** It tells when its resources change; the same of its prompts. */
  readonly resourcesChange: boolean;
  readonly promptsChange: boolean;
}

/** Why a connection is over. */
export interface Loss {
  readonly message: string;
  readonly authRequired: boolean;
}

/** One initialized connection to an upstream (a port: the SDK's client over a transport of ours stands behind it). */
export interface Upstream {
  /** Settles when the connection is over, whoever ended it. */
  readonly lost: Promise<Loss>;
  readonly offers: Offers;
  /** Of MCP, that is spoken. */
  readonly revision: string;
  /** Why a listed tool cannot be called over this connection; takes definitions of bounded depth alone. */
  toolProblem?(definition: string): string | undefined;
  /** An empty page where the upstream has no such list. */
  listPage(list: ListName, cursor: string | undefined, signal: AbortSignal): Promise<ListPage>;
  /** Dispatches exactly once and never rejects. */
  call(call: UpstreamCall): Promise<CallEnd>;
  /** Asks for messages of this level and above. Settles with whatever answer, soon. Never rejects. */
  setLogLevel(level: LogLevel): Promise<void>;
  /** True when the upstream answered, with whatever. */
  ping(timeoutMs: number): Promise<boolean>;
  close(): Promise<void>;
}

export type Opened =
  | { readonly kind: 'open'; readonly upstream: Upstream; readonly sandbox: string }
  | { readonly kind: 'auth_required'; readonly message: string; readonly missing?: MissingCredentials }
  | { readonly kind: 'failed'; readonly message: string };

export interface OpenOptions {
  /** Abort = give up; what is half open is closed. */
  readonly signal: AbortSignal;
  readonly client: ClientSide;
  /** Whose session it is: a process of it gets a home of theirs. Absent: everybody's. */
  readonly principal?: string;
  readonly onToolsChanged: () => void;
  /** A message could not even be sent, although the connection was not over: it should be made anew. */
  readonly onUnreachable: () => void;
}

/** Opens and initializes one connection. Messages are free of secrets. Never rejects. */
export type OpenUpstream = (server: ExpandedServer, options: OpenOptions) => Promise<Opened>;
