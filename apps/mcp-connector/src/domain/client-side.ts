import type { AnswerOf, CallId, askClient } from '@uar/contracts';

/** ClientCapabilities of MCP, as `initialize` declares them. */
export type ClientCapabilities = Readonly<
  Partial<Record<'sampling' | 'elicitation' | 'roots', Readonly<Record<string, unknown>>>>
>;

/** What an upstream asks its client; `callId`: during which call, where that is known. */
export interface ClientRequest {
  readonly method: 'sampling/createMessage' | 'elicitation/create' | 'roots/list';
  readonly paramsJson: string;
  readonly callId?: CallId;
}

export type ClientAnswer = AnswerOf<typeof askClient>;

/** A notification that is for clients. */
export interface Notice {
  readonly method: string;
  readonly paramsJson: string;
  readonly callId?: CallId;
}

/** What an upstream finds at our end of its connection. */
export interface ClientSide {
  readonly capabilities: ClientCapabilities;
  /** Absent: whatever the upstream asks is refused. The signal aborts when nobody waits for the answer any more. Never rejects. */
  readonly answer?: (request: ClientRequest, signal: AbortSignal) => Promise<ClientAnswer>;
  readonly onNotice: (notice: Notice) => void;
}
