import {
  effectOf,
  mostGrouped,
  NotedEvent,
  outcomes,
  type CallId,
  type KeptGroup,
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
  readonly callId: CallId;
  readonly tool: string;
  /** Epoch milliseconds. */
  readonly proposedAt: number;
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

  /** The outcome receipts that were written. Events are no record: one that cannot be told is left out. */
  async note(receipts: readonly ReceiptBody[]): Promise<void> {
    for (const ofRun of byRun(receipts)) {
      try {
        await this.noteIn(ofRun);
      } catch (error) {
        this.parts.log.warn({ err: error, calls: ofRun.length }, 'the ends of calls are in no event');
      }
    }
  }

  private async noteIn(receipts: readonly ReceiptBody[]): Promise<void> {
    const [first] = receipts;
    if (first?.run_id === undefined) return;
    const { tenant, run_id: runId } = first;
    const ends = new Map(receipts.flatMap((end) => (end.call_id === undefined ? [] : [[end.call_id, end]])));
    const calls = await this.find(tenant, runId, ends);
    const now = this.parts.clock.now();
    const events = [...calls].flatMap(([callId, call]) => eventOf(call, ends.get(callId), now));
    const [call] = calls.values();
    for (let from = 0; call !== undefined && from < events.length; from += mostGrouped) {
      const some = events.slice(from, from + mostGrouped);
      const group = { tenant, run: call.run, count: some.length, events_json: JSON.stringify(some) };
      await this.parts.book.append([group]);
    }
  }

  /** Those of these calls that were proposed in the run and have not ended there. */
  private async find(tenant: TenantId, runId: RunId, ends: ReadonlyMap<CallId, unknown>): Promise<Calls> {
    const found: Calls = new Map();
    for (let after = 0, more = true; more;) {
      const page = await this.parts.ledger.readEvents({ tenant, run_id: runId, after });
      for (const group of page.groups) {
        take(group, ends, found);
        after = (group.seq ?? 0) + group.count - 1;
      }
      more = page.more && page.groups.length > 0;
    }
    return found;
  }
}

type Calls = Map<CallId, FoundCall>;

function byRun(receipts: readonly ReceiptBody[]): Iterable<ReceiptBody[]> {
  const runs = new Map<string, ReceiptBody[]>();
  for (const receipt of receipts) {
    const run = JSON.stringify([receipt.tenant, receipt.run_id]);
    runs.set(run, [...(runs.get(run) ?? []), receipt]);
  }
  return runs.values();
}

function take({ run, events_json }: KeptGroup, ends: ReadonlyMap<CallId, unknown>, found: Calls): void {
  if (run === undefined) return;
  for (const { type, call_id: callId, at, data_json } of NotedEvents.parse(JSON.parse(events_json))) {
    if (callId === undefined || !ends.has(callId)) continue;
    if (type === 'call.ended') found.delete(callId);
    if (type !== 'call.proposed') continue;
    const { tool } = Proposed.parse(JSON.parse(data_json));
    found.set(callId, { run, callId, tool, proposedAt: at });
  }
}

function eventOf(call: FoundCall, end: ReceiptBody | undefined, now: number): NotedEvent[] {
  if (end?.outcome === undefined) return [];
  const { outcome } = end;
  const hasResult = outcome === 'completed' || outcome === 'tool_error';
  const data = {
    tool: call.tool,
    outcome,
    effect: effectOf(outcome),
    success: outcome === 'completed',
    duration_ms: Math.max(0, now - call.proposedAt),
    error: hasResult ? null : { code: outcome, message: outcomes[outcome].text },
  };
  return [{ type: 'call.ended', at: now, call_id: call.callId, data_json: JSON.stringify(data) }];
}
