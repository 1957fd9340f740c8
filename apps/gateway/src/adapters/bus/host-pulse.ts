import type { Bus } from '@uar/bus';
import { hostBeat, type InstanceId, type TokenKey } from '@uar/contracts';

/** Hosts beat once a second; one that was silent for this long is taken as dead. */
const silenceMs = 3_000;
const checkMs = 250;
/** A check that comes later than this tells of our own sluggishness, not of a host's: beats may wait unread. */
const sluggishMs = 1_000;

/** Which host instances live, by their beats: a call in flight at a dead one is reported long before its own deadline. */
export class HostPulse {
  private readonly heardAt = new Map<InstanceId, number>();
  private readonly tokenKeys = new Map<InstanceId, TokenKey>();
  private readonly watched = new Map<InstanceId, Set<() => void>>();
  private readonly timer: NodeJS.Timeout;
  private readonly endListening: () => void;
  private checkedAt = performance.now();

  constructor(bus: Bus) {
    this.endListening = bus.listen(hostBeat, ({ instance, token_key }) => {
      this.heardAt.set(instance, performance.now());
      if (token_key !== undefined) this.tokenKeys.set(instance, token_key);
    });
    this.timer = setInterval(() => this.check(performance.now()), checkMs);
    this.timer.unref();
  }

  /** Calls `gone` once when the instance falls silent. An instance that was never heard counts from now. */
  watch(instance: InstanceId, gone: () => void): () => void {
    if (!this.heardAt.has(instance)) this.heardAt.set(instance, performance.now());
    const watchers = this.watched.get(instance) ?? new Set();
    this.watched.set(instance, watchers.add(gone));
    return () => {
      watchers.delete(gone);
      if (watchers.size === 0 && this.watched.get(instance) === watchers) this.watched.delete(instance);
    };
  }

  /** To which tokens of callers are encrypted, where the instance takes any. */
  tokenKeyOf(instance: InstanceId): TokenKey | undefined {
    return this.tokenKeys.get(instance);
  }

  close(): void {
    clearInterval(this.timer);
    this.endListening();
  }

  private check(now: number): void {
    const lateMs = now - this.checkedAt - checkMs;
    this.checkedAt = now;
    if (lateMs > sluggishMs) {
      for (const [instance, at] of this.heardAt) this.heardAt.set(instance, at + lateMs);
      return;
    }
    for (const [instance, at] of this.heardAt) if (now - at > silenceMs) this.bury(instance);
  }

  private bury(instance: InstanceId): void {
    this.heardAt.delete(instance);
    this.tokenKeys.delete(instance);
    const watchers = this.watched.get(instance);
    this.watched.delete(instance);
    for (const gone of watchers ?? []) gone();
  }
}
