import { randomUUID } from 'node:crypto';
import { visibleText } from '@uar/catalog';
import type { ApprovalView } from '@uar/contracts';
import type { RequestId } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import type { ClientRequests, OpenRequest } from './client-requests.js';

export interface ElicitationParts {
  readonly requests: ClientRequests;
  /** Where people decide an approval. */
  pageUrl(approvalId: string): string;
}

interface Asked {
  readonly elicitationId: string;
  readonly related: RequestId;
  readonly request: OpenRequest;
  isComplete: boolean;
}

/** The first revision with mode `url`; a capability of that name means nothing in the earlier ones. */
const revision = '2025-11-25';

const Greeting = z.looseObject({
  protocolVersion: z.literal(revision),
  capabilities: z.looseObject({ elicitation: z.looseObject({ url: z.looseObject({}) }) }),
});

/** Why a page is to be opened, for the client's user. */
function pageMessage(tool: string): string {
  return `${visibleText(tool)} waits for a person to approve it. Open the page to see what would run, and decide.`;
}

/** Sends the user of a client without a session to the page of an approval. */
export function pageRequest(url: string, tool: string): object {
  return { method: 'elicitation/create', params: { mode: 'url', url, message: pageMessage(tool) } };
}

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
    const request = this.parts.requests.ask({
      method: 'elicitation/create',
      params: {
        mode: 'url',
        elicitationId,
        url: this.parts.pageUrl(approval_id),
        message: pageMessage(tool),
      },
      related,
    });
    this.asked.set(approval_id, { elicitationId, related, request, isComplete: false });
  }

  /** There is nothing to decide any more. */
  complete(approvalId: string): void {
    const one = this.asked.get(approvalId);
    if (one === undefined || one.isComplete) return;
    one.isComplete = true;
    const { elicitationId, related, request } = one;
    this.parts.requests.tell('notifications/elicitation/complete', { elicitationId }, related);
    request.cancel('it is settled');
  }

  forget(approvalId: string): void {
    this.complete(approvalId);
    this.asked.delete(approvalId);
  }
}
