import type { MissingCredentials } from '../domain/upstream.js';

/** Nothing of the message left this process: the one failure of a transport after which nothing can have run. */
export class NotSent extends Error {}

/** The upstream wants other credentials than it was given. */
export class AuthRequired extends Error {
  /** Other messages over the same connection go on: they are sent with other tokens. */
  readonly isOfOneCaller: boolean = false;
}

/** Whoever this host is there, it may not do that (HTTP 403): other credentials may help. */
export class Forbidden extends AuthRequired {}

const ofCallers: ReadonlySet<MissingCredentials> = new Set(['caller_token_missing', 'exchange_refused']);

/** `AuthRequired` of a message that was refused for it: it did nothing. */
export class NotAuthorized extends AuthRequired {
  override readonly isOfOneCaller: boolean;

  constructor(
    message: string,
    /** Whose credentials are missing. */
    readonly missing: MissingCredentials,
  ) {
    super(message);
    this.isOfOneCaller = ofCallers.has(missing);
  }
}

/** The connection or the answer broke after the message may have left. */
export class Broken extends Error {}
