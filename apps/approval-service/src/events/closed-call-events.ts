import {
  effectOf,
  NotedEvent,
  outcomes,
  type CallId,
  type EventGroup,
  type KeptGroup,
  type Outcome,
  type ReceiptBody,
  type RunId,
  type TenantId,
} from '@uar/contracts';
import type { Ledger } from '@uar/ledger';
import type { Log } from '@uar/telemetry';
import { z } from 'zod';
import type { EventBook } from './event-book.js';

const Proposed = z.looseObject({ tool: z.string() });
const NotedEvents = z.array(NotedEvent);

interface FoundCall {
  readonly run: NonNullable<KeptGroup['run']>;
  readonly tool: string;
  /** Epoch milliseconds. */
  readonly proposedAt: number;
  readonly hasEnded: boolean;
}

interface InRun {
  readonly tenant: TenantId;
  readonly runId: RunId;
  readonly callId: CallId;
}

/** Says how calls ended whose gateway is gone, in the runs in which it had proposed them. */
export class ClosedCallEvents {
  constructor(
    private readonly parts: {
      readonly ledger: Pick<Ledger, 'readEvents'>;
      readonly book: Pick<EventBook, 'append'>;
      readonly log: Pick<Log, 'warn'>;
      readonly clock: { now(): number };
    },
  ) {}

  /** `outcomes`: the outcome receipts that were written. Events are no record: one that cannot be told is left out. */
  async note(receipts: readonly ReceiptBody[]): Promise<void> {
    for (const receipt of receipts) {
      try {
        const group = await this.groupOf(receipt);
        if (group !== undefined) await this.parts.book.append([group]);
      } catch (error) {
        this.parts.log.warn({ err: error, call_id: receipt.call_id }, 'the end of a call is in no event');
      }
    }
  }

  private async groupOf(receipt: ReceiptBody): Promise<EventGroup | undefined> {
    const { tenant, run_id: runId, call_id: callId, outcome } = receipt;
    if (runId === undefined || callId === undefined || outcome === undefined) return undefined;
    const call = await this.find({ tenant, runId, callId });
    if (call === undefined || call.hasEnded) return undefined;
    const now = this.parts.clock.now();
    const data = {
      tool: call.tool,
      outcome,
      effect: effectOf(outcome),
      success: outcome === 'completed',
      duration_ms: Math.max(0, now - call.proposedAt),
      error: hasResult(outcome) ? null : { code: outcome, message: outcomes[outcome].text },
    };
    const event: NotedEvent = {
      type: 'call.ended',
      at: now,
      call_id: callId,
      data_json: JSON.stringify(data),
    };
    return { tenant, run: call.run, count: 1, events_json: JSON.stringify([event]) };
  }

  private async find({ tenant, runId, callId }: InRun): Promise<FoundCall | undefined> {
    let found: FoundCall | undefined;
    for (let after = 0, more = true; more;) {
      const page = await this.parts.ledger.readEvents({ tenant, run_id: runId, after });
      for (const group of page.groups) {
        found = callIn(group, callId, found) ?? found;
        after = (group.seq ?? 0) + group.count - 1;
      }
      more = page.more && page.groups.length > 0;
    }
    return found;
  }
}

function hasResult(outcome: Outcome): boolean {
  return outcome === 'completed' || outcome === 'tool_error';
}

function callIn(
  { run, events_json }: KeptGroup,
  callId: CallId,
  known: FoundCall | undefined,
): FoundCall | undefined {
  if (run === undefined || !events_json.includes(callId)) return undefined;
  const own = NotedEvents.parse(JSON.parse(events_json)).filter(({ call_id }) => call_id === callId);
  const hasEnded = own.some(({ type }) => type === 'call.ended');
  const proposed = own.find(({ type }) => type === 'call.proposed');
  if (proposed === undefined) return known && { ...known, hasEnded: known.hasEnded || hasEnded };
  const { tool } = Proposed.parse(JSON.parse(proposed.data_json));
  return { run, tool, proposedAt: proposed.at, hasEnded };
}
