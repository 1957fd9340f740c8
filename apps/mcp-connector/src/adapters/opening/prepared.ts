import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { Bearer } from '../../domain/account/bearer.js';
import type { AddressRules } from '../http/address-rules.js';
import type { Accounts } from '../../domain/account/accounts.js';
import type { Environment } from '@uar/sandbox';
import type { Wire } from '../stateless/wire.js';

export interface UpstreamWorld {
  /** Our own environment; children get the allow-listed part of it. */
  readonly environment: Environment;
  readonly dataDir: string;
  /** What `sandbox.mode` means where a server does not say. */
  readonly defaultSandbox: 'auto' | 'required';
  readonly addresses: AddressRules;
  readonly accounts: Accounts;
  readonly maxFrameBytes: number;
  readonly stopGraceMs: number;
  /** A fault of ours in the handling of an upstream's words, at most one per connection. */
  readonly onFault?: (error: unknown) => void;
}

/** For revisions with sessions. */
export interface SessionTransport {
  readonly transport: Transport;
  /** The session is there: what carried the wire ends with its transport. */
  own(): void;
}

/** A way to a server of which nobody knows yet what it speaks. */
export interface Prepared {
  readonly kind: 'prepared';
  readonly isHttp: boolean;
  readonly wire: Wire;
  /** `isBeside`: while a request over the wire is not answered. */
  sessions(how: { readonly isBeside: boolean }): SessionTransport;
  readonly explainLoss: () => Promise<string>;
  /** More words for a failed opening. */
  readonly hint: () => string;
  readonly bearer?: Bearer | undefined;
  /** The same anew, where a server ends when it hears what it does not know. */
  again?(): Promise<Prepared | Unprepared>;
}

export interface Unprepared {
  readonly kind: 'problem';
  readonly message: string;
}
