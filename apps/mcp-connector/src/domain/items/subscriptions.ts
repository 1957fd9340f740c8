import { JsonText } from '@uar/json-text';
import type { CallEnd, Upstream } from '../upstream.js';

type Subscribed = CallEnd | { readonly kind: 'overloaded'; readonly retry_after_ms: number };

const mostUris = 1_000;
const retryAfterMs = 60_000;
const renewal = { timeoutMs: 15_000, maxResultBytes: 64 * 1024 } as const;

/**
 * Who subscribed to what over one connection, by number: nobody says who asks. The upstream is asked to end a subscription
 * when the last one ends it, and to begin all of them again on the connection's successor.
 */
export class Subscriptions {
  private readonly holders = new Map<string, number>();

  /** Of URIs. */
  get size(): number {
    return this.holders.size;
  }

  async subscribe(uri: string, dispatch: () => Promise<CallEnd>): Promise<Subscribed> {
    if (!this.holders.has(uri) && this.holders.size >= mostUris)
      return { kind: 'overloaded', retry_after_ms: retryAfterMs };
    this.holders.set(uri, (this.holders.get(uri) ?? 0) + 1);
    const end = await dispatch();
    if (end.kind !== 'ran') this.release(uri);
    return end;
  }

  async unsubscribe(uri: string, dispatch: () => Promise<CallEnd>): Promise<CallEnd> {
    const others = this.release(uri);
    return others === 0 ? await dispatch() : { kind: 'ran', result_json: '{}', is_error: false };
  }

  async renew(upstream: Pick<Upstream, 'call'>, signal: AbortSignal): Promise<void> {
    for (const uri of [...this.holders.keys()]) {
      if (signal.aborted) return;
      const params = new JsonText(JSON.stringify({ uri }));
      await upstream.call({ method: 'resources/subscribe', params, signal, ...renewal });
    }
  }

  /** How many are left. */
  private release(uri: string): number {
    const left = Math.max(0, (this.holders.get(uri) ?? 0) - 1);
    if (left === 0) this.holders.delete(uri);
    else this.holders.set(uri, left);
    return left;
  }
}
