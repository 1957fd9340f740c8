import type { LogLevel } from '@uar/contracts';
import type { ClientSide } from '../../domain/client-side.js';
import { Broken } from '../not-sent.js';
import { discover, type Discovered } from './discover.js';
import { hearDuring, type Hearer, type Listener } from './notifications.js';
import { paramsText } from './params-text.js';
import { requestMeta, rpcCodes, type Sender } from './revision.js';
import type { Reply, Wire } from './wire.js';

export interface RequestsOptions extends Hearer {
  readonly wire: Wire;
  /** What its server declares. */
  readonly hasLogs: boolean;
  /** Somebody else stands there now. */
  readonly onOther: () => void;
}

export interface OneRequest extends Listener {
  readonly method: string;
  /** Its `params`, but for what the host has to say. */
  readonly text: string;
  /** More of them, as JSON texts. */
  readonly brought?: Readonly<Record<string, string>>;
  readonly definition?: string | undefined;
  readonly signal: AbortSignal;
}

/** Requests over one wire, in the words of their client. */
export class Requests {
  level: LogLevel | undefined;
  private verifying = false;

  constructor(private readonly options: RequestsOptions) {}

  sender(progressToken?: number): Sender {
    const { client, hasLogs } = this.options;
    return {
      capabilities: client.capabilities,
      level: hasLogs ? levelOf(client, this.level) : undefined,
      progressToken,
    };
  }

  /** Sends once. Rejects as the wire does. */
  async send({ method, text, brought = {}, definition, signal, ...listener }: OneRequest): Promise<Reply> {
    const sent = this.options.wire.request({
      ...{ method, definition, signal, callId: listener.callId },
      paramsText: paramsText(text, { ...brought, _meta: requestMeta(this.sender(listener.token)) }),
      onNotification: (notification) => hearDuring(listener, notification, this.options),
    });
    const reply = await sent.catch((error: unknown) => {
      if (error instanceof Broken && !signal.aborted) void this.verify();
      throw error;
    });
    if (isStrange(reply)) void this.verify();
    // Its tools may be marked in another way by now.
    if (reply.kind === 'upstream_error' && reply.code === rpcCodes.headerMismatch)
      this.options.onToolsChanged();
    return reply;
  }

  /** Who is there now. Rejects as the wire does. */
  async look(signal: AbortSignal): Promise<Discovered> {
    const found = await discover(this.options.wire, this.sender(), signal);
    const isOther = found.kind === 'unusable' || (found.kind === 'other' && found.isSure);
    if (isOther) this.options.onOther();
    return found;
  }

  /** A connection that broke, or an answer that no server of this revision gives: it may be another one. */
  private async verify(): Promise<void> {
    if (this.verifying) return;
    this.verifying = true;
    await this.look(AbortSignal.timeout(lookMs)).catch(() => undefined);
    this.verifying = false;
  }
}

const lookMs = 5_000;

/** Until a client says what it wants to hear, it hears everything; where there is no client, nobody listens. */
function levelOf(client: ClientSide, level: LogLevel | undefined): LogLevel | undefined {
  return level ?? (client.answer === undefined ? undefined : 'debug');
}

function isStrange(reply: Reply): boolean {
  if (reply.kind === 'no_answer') return reply.status < 500;
  return reply.kind === 'upstream_error' && reply.code === rpcCodes.unsupportedVersion;
}
