import { randomUUID } from 'node:crypto';
import { visibleText } from '@uar/catalog';
import type { ApprovalView } from '@uar/contracts';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { RequestId } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import type { ClientFrame } from '../frame.js';

export interface ElicitationParts {
  readonly send: Transport['send'];
  /** Is a stream of this request still there to speak on? */
  hasStream(request: RequestId): boolean;
  /** Where people decide an approval. */
  pageUrl(approvalId: string): string;
}

interface Asked {
  readonly elicitationId: string;
  /** Id of our request. */
  readonly id: string;
  readonly related: RequestId;
  isAnswered: boolean;
  isComplete: boolean;
}

/** The first revision with mode `url`; a capability of that name means nothing in the earlier ones. */
const revision = '2025-11-25';

const Greeting = z.looseObject({
  protocolVersion: z.literal(revision),
  capabilities: z.looseObject({ elicitation: z.looseObject({ url: z.looseObject({}) }) }),
});

/**
 * Sends whoever waits for an approval to its page (MCP 2025-11-25, "Elicitation", mode `url`), where the client declared
 * that it can. What the client answers is taken note of and means nothing: it is no vote, and waiting goes by its own rules.
 */
export class Elicitations {
  private isSupported = false;
  /** By approval; until its call ends. */
  private readonly asked = new Map<string, Asked>();

  constructor(private readonly parts: ElicitationParts) {}

  /** `params` of the client's `initialize`. */
  greet(params: unknown): void {
    this.isSupported = Greeting.safeParse(params).success;
  }

  /** Once per approval; on the stream of the request whose call waits. */
  ask({ approval_id, tool }: ApprovalView, related: RequestId): void {
    if (!this.isSupported || this.asked.has(approval_id)) return;
    const elicitationId = randomUUID();
    const one = {
      elicitationId,
      id: `elicit_${elicitationId}`,
      related,
      isAnswered: false,
      isComplete: false,
    };
    this.asked.set(approval_id, one);
    const params = {
      mode: 'url',
      elicitationId,
      url: this.parts.pageUrl(approval_id),
      message: `${visibleText(tool)} waits for a person to approve it. Open the page to see what would run, and decide.`,
    };
    this.say(one, { jsonrpc: '2.0', id: one.id, method: 'elicitation/create', params });
  }

  /** There is nothing to decide any more. */
  complete(approvalId: string): void {
    const one = this.asked.get(approvalId);
    if (one === undefined || one.isComplete) return;
    one.isComplete = true;
    const { elicitationId, id } = one;
    this.say(one, {
      jsonrpc: '2.0',
      method: 'notifications/elicitation/complete',
      params: { elicitationId },
    });
    if (!one.isAnswered)
      this.say(one, {
        jsonrpc: '2.0',
        method: 'notifications/cancelled',
        params: { requestId: id, reason: 'it is settled' },
      });
  }

  forget(approvalId: string): void {
    this.complete(approvalId);
    this.asked.delete(approvalId);
  }

  /** False: no answer to one of ours. */
  take({ message }: Extract<ClientFrame, { kind: 'response' }>): boolean {
    const { id } = message;
    if (typeof id !== 'string' || !id.startsWith('elicit_')) return false;
    for (const one of this.asked.values()) if (one.id === id) one.isAnswered = true;
    return true;
  }

  /** On the session's own stream where the request has got its answer. */
  private say(one: Asked, message: Parameters<Transport['send']>[0]): void {
    const { related } = one;
    void this.parts.send(message, this.parts.hasStream(related) ? { relatedRequestId: related } : {});
  }
}
