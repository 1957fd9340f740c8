import { Outcome } from '@uar/contracts';
import { createMetrics, type Metrics } from '@uar/telemetry';
import type { EndedCall } from '../domain/call/proposed-call.js';

export interface Gauges {
  readonly inFlight: () => number;
  readonly waiting: () => number;
  readonly unwrittenReceipts: () => number;
  readonly refusedReceipts: () => number;
  readonly unsentEvents: () => number;
  readonly eventStreams: () => number;
}

/** What the gateway counts. Labels are closed or bounded: no tool, server or principal is one. */
export class CallMetrics {
  readonly registry: Metrics = createMetrics('gateway', { process: true });
  private readonly calls = this.registry.counter({
    name: 'calls_total',
    help: 'Calls by outcome.',
    labels: { outcome: Outcome.options },
  });
  private readonly seconds = this.registry.histogram({
    name: 'call_duration_seconds',
    help: 'Time from proposal to end, by outcome.',
    labels: { outcome: Outcome.options },
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
  });
  private readonly refused = this.registry.counter({
    name: 'unauthorized_total',
    help: 'Requests refused for their token (401, or 403 for its scopes), by cause.',
    labels: { cause: { max: 32 } },
  });

  private readonly webhookAttempts = this.registry.counter({
    name: 'webhook_attempts_total',
    help: 'Attempts to send a message to the webhook that this gateway heard of, by result.',
    labels: { result: ['delivered', 'failed', 'dead'] },
  });

  private readonly droppedEvents = this.registry.counter({
    name: 'events_dropped_total',
    help: 'Events that were left out because the ledger did not take them in time.',
    labels: {},
  });

  watch(gauges: Gauges): void {
    this.registry.gauge({
      name: 'calls_in_flight',
      help: 'Calls that have not ended.',
      read: gauges.inFlight,
    });
    this.registry.gauge({
      name: 'calls_waiting',
      help: 'Calls that wait for a human.',
      read: gauges.waiting,
    });
    this.registry.gauge({
      name: 'receipts_unwritten',
      help: 'Outcome receipts the ledger has not taken yet.',
      read: gauges.unwrittenReceipts,
    });
    this.registry.gauge({
      name: 'receipts_refused',
      help: 'Outcome receipts refused since the start: their call had ended otherwise in the ledger.',
      read: gauges.refusedReceipts,
    });
    this.registry.gauge({
      name: 'events_unsent',
      help: 'Events the ledger has not taken yet.',
      read: gauges.unsentEvents,
    });
    this.registry.gauge({ name: 'event_streams', help: 'Open event streams.', read: gauges.eventStreams });
  }

  ended({ outcome, durationMs }: EndedCall): void {
    this.calls.add({ outcome });
    this.seconds.observe({ outcome }, durationMs / 1000);
  }

  webhookAttempted(result: 'delivered' | 'failed' | 'dead'): void {
    this.webhookAttempts.add({ result });
  }

  eventsDropped(count: number): void {
    this.droppedEvents.add({}, count);
  }

  unauthorized(cause: string): void {
    this.refused.add({ cause });
  }
}
