import type {
  AnswerOf,
  AskOf,
  Principal,
  ServerConfig,
  TenantId,
  hosts,
  readNativeStatements,
} from '@uar/contracts';
import type { reconnectServer, tryServer } from '@uar/contracts';

export interface Setting {
  readonly tenant: TenantId;
  readonly key: string;
  readonly revision: number;
  readonly value: unknown;
}

/** What the receipt of an administrative write names. */
export interface Deed {
  readonly principal: Principal;
  /** e.g. `change.accept files files__read chg_1`. */
  readonly action: string;
}

/** Our part of the ledger. `unavailable`: nothing is known about what happened to a write. */
export interface Settings {
  read(namespace: string): Promise<readonly Setting[] | undefined>;
  write(write: {
    readonly tenant: TenantId;
    readonly namespace: string;
    readonly key: string;
    readonly value: unknown;
    readonly ifRevision: number;
    /** Its receipt is written in the same transaction: both are there or neither is. */
    readonly deed?: Deed;
  }): Promise<{ kind: 'written'; revision: number } | { kind: 'conflict' } | { kind: 'unavailable' }>;
}

/** Encrypts what the ledger keeps. `open` gives undefined for what was not sealed with our key for this purpose. */
export interface Vault {
  seal(plain: string, purpose: string): string;
  open(sealed: string, purpose: string): string | undefined;
}

type TryAnswer = AnswerOf<typeof tryServer>;
type ReconnectAnswer = AnswerOf<typeof reconnectServer>;
export type ListPage = AnswerOf<(typeof hosts)['mcp']['listTools']>;
/** All pages of a list as one. */
export type Listed = Omit<Extract<ListPage, { kind: 'listed' }>, 'next'>;
export type Statements = AnswerOf<typeof readNativeStatements>['statements'];

export interface Unreached {
  readonly kind: 'unreached';
  readonly reason: string;
}

/** The list of one server at one host instance. */
export interface ListSource {
  readonly host: 'mcp' | 'native';
  readonly instance: string;
  readonly tenant: TenantId;
  readonly server: string;
}

/** Where a page of a list begins; absent, the first page of whatever list there is. */
export type PageStart = AskOf<(typeof hosts)['mcp']['listTools']>['from'];

/** What the registry asks of hosts. */
export interface Hosts {
  listPage(source: ListSource, from: PageStart): Promise<ListPage | Unreached>;
  statements(instance: string): Promise<Statements | undefined>;
  tryServer(
    attempt: {
      readonly tenant: TenantId;
      readonly name: string;
      readonly config: ServerConfig;
      readonly connect: boolean;
    },
    signal: AbortSignal,
  ): Promise<TryAnswer | Unreached>;
  reconnect(
    ask: { readonly tenant: TenantId; readonly server: string; readonly instance: string },
    signal: AbortSignal,
  ): Promise<ReconnectAnswer | Unreached>;
}

/** What goes wrong or is worth knowing, for the log. */
export interface Journal {
  note(fields: Readonly<Record<string, unknown>>, what: string): void;
  warn(fields: Readonly<Record<string, unknown>>, what: string): void;
}

/** Asked in the midst of long work: undefined, or what to wait for so that other work of the process can run. */
export type Pause = () => Promise<void> | undefined;
