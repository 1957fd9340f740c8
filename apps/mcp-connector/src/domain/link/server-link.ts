import { connectionOf, type ServerReport, type WantedServer } from '@uar/contracts';
import { attend } from './attend.js';
import { linkBackOff, type BackOff } from './back-off.js';
import { baseSide } from './base-side.js';
import { connect, type Connected } from './connect.js';
import type { Connection, LinkPorts, Live } from './connection.js';
import { failureOf, failureStatus } from './failure.js';
import { LinkState } from './link-state.js';
import { linkTimes, maxQueuedPerSlot } from './link-times.js';
import { Slots, callsAtOnce } from './slots.js';
import type { ClientSide } from '../client-side.js';
import { ItemLists, type ItemKind } from '../items/item-lists.js';
import { Subscriptions } from '../items/subscriptions.js';
import type { Claim, Placed } from '../seats/place.js';
import { Seats } from '../seats/seats.js';
import type { ToolList } from '../tools/tool-list.js';
import { unlessAborted } from '../unless-aborted.js';
import type { Loss } from '../upstream.js';

/** Keeps one server connected: one connection at a time, one initialize for everybody who waits (P6). */
export class ServerLink {
  readonly slots: Slots;
  private readonly state: LinkState;
  private readonly backOff: BackOff;
  private readonly seats: Seats;
  /** Over the one connection of a shared server. */
  private readonly subscriptions = new Subscriptions();
  private live: Live | undefined;
  /** What the lost connection listed, while its successor is being opened: calls wait for that one (P6). */
  private expected: ToolList | undefined;
  /** Aborted to end the present connection, attempt or pause. */
  private session = new AbortController();
  private stopped = false;
  private readonly ended: Promise<void>;

  constructor(
    private wanted: WantedServer,
    private readonly ports: LinkPorts,
  ) {
    this.slots = new Slots(callsAtOnce(wanted.config), wanted.config.concurrency * maxQueuedPerSlot);
    this.state = new LinkState(ports.clock, ports.onChange);
    this.backOff = linkBackOff(ports.random);
    this.seats = new Seats({
      target: () => this.wanted,
      ports,
      onItemsChanged: (kind) => this.live?.items.changed(kind),
    });
    this.ended = this.keepConnected();
  }

  /** As it is configured now. */
  get target(): WantedServer {
    return this.wanted;
  }
  /** The connection, once there is one; undefined when there is none and none is under way. */
  async connection(signal: AbortSignal): Promise<Connection | undefined> {
    if (this.live === undefined && this.state.current === 'connecting')
      await this.state.until((status) => status !== 'connecting', signal);
    return this.live;
  }

  /** The connection that calls go to now; one that is being replaced is none. */
  get present(): Connection | undefined {
    return this.live;
  }

  /** Where a call is dispatched to: over the connection of all, or over the session of its seat. */
  async place({ upstream }: Connection, claim: Claim, signal: AbortSignal): Promise<Placed> {
    if (this.wanted.config.placement === 'per_principal') return await this.seats.take(claim, signal);
    const { subscriptions } = this;
    return { kind: 'placed', place: { upstream, subscriptions, leave: () => undefined } };
  }

  get list(): ToolList | undefined {
    return this.live?.list;
  }

  /** A call was answered. */
  answered(latencyMs: number): void {
    this.state.answered(latencyMs);
    if (this.state.current === 'degraded' && this.live !== undefined) this.state.set('ready');
  }

  report(): ServerReport {
    return this.state.report(this.wanted, this.list ?? this.expected, this.slots.inUse);
  }

  /** Another configuration; reconnects where it concerns the connection. */
  update(wanted: WantedServer): void {
    const [now, before] = [wanted, this.wanted].map(({ config }) => JSON.stringify(connectionOf(config)));
    this.wanted = wanted;
    this.slots.setCapacity(callsAtOnce(wanted.config));
    if (now !== before) this.restart(undefined);
    else this.state.changed();
  }

  /** Credentials were given. */
  retry(): void {
    if (this.state.current === 'auth_required' && !this.stopped) this.restart(undefined);
  }

  /** Closes and opens; settles when it is known how that went, or when the signal aborts. */
  async reconnect(signal: AbortSignal): Promise<ServerReport> {
    if (!this.stopped) {
      this.restart(this.list);
      await this.state.until((status) => status !== 'connecting', signal);
    }
    return this.report();
  }

  /** Ends for good: nothing new, running calls at most `graceMs`, then the connection. */
  async stop(graceMs: number): Promise<void> {
    if (!this.stopped) {
      this.stopped = true;
      this.state.set('stopping');
      await this.slots.idleWithin(graceMs, this.ports.clock);
      this.session.abort();
    }
    await Promise.all([this.ended, this.seats.end()]);
  }

  private restart(expected: ToolList | undefined): void {
    this.expected = expected;
    this.live = undefined;
    this.backOff.reset();
    this.state.set('connecting');
    this.session.abort();
    void this.seats.clear();
  }

  /** Nothing answers any more: calls wait for, or are refused by, the next attempt to connect. */
  private renew(signal: AbortSignal): void {
    if (this.live === undefined || signal !== this.session.signal || this.stopped) return;
    this.expected = this.live.list;
    this.live = undefined;
    this.state.lost();
    this.state.set('connecting', 'nothing answers at the address of the server');
    this.session.abort();
  }

  private async keepConnected(): Promise<void> {
    while (!this.stopped) {
      this.session = new AbortController();
      const { signal } = this.session;
      const pauseMs = this.wanted.config.enabled ? await this.attempt(signal) : this.disable();
      await this.ports.clock.wait(pauseMs, signal);
    }
  }

  private disable(): number {
    this.state.set('disabled');
    return Infinity;
  }

  private async attempt(signal: AbortSignal): Promise<number> {
    try {
      return await this.connectAndHold(signal);
    } catch (error) {
      this.ports.onFault(error);
      this.live = undefined;
      return this.failed({ kind: 'failed', message: 'an internal fault; see the log' });
    }
  }

  /** One attempt and, where it succeeds, one connection's life. Milliseconds until the next. */
  private async connectAndHold(signal: AbortSignal): Promise<number> {
    this.setUnlessEnded('connecting', signal);
    let onToolsChanged = (): void => {
      changedEarly = true;
    };
    let changedEarly = false;
    const connected = await connect(this.wanted, this.ports, {
      signal,
      client: this.client(signal),
      onToolsChanged: () => onToolsChanged(),
      onUnreachable: () => this.renew(signal),
    });
    if (connected.kind !== 'connected') return signal.aborted ? 0 : this.failed(connected);
    if (signal.aborted || this.stopped) {
      await connected.upstream.close();
      return 0;
    }
    const held = new AbortController();
    const live = this.hold(connected, held.signal);
    onToolsChanged = attend(live, {
      ...{ ports: this.ports, state: this.state, signal: held.signal },
      onAnswer: (latencyMs) => this.answered(latencyMs),
      onTrouble: (message) => this.setUnlessEnded('degraded', held.signal, message),
    });
    if (changedEarly) onToolsChanged();
    void this.subscriptions.renew(live.upstream, held.signal);
    const start = this.ports.clock.now();
    const loss = await unlessAborted(live.upstream.lost, signal);
    held.abort();
    return await this.afterLife(live, loss, this.ports.clock.now() - start);
  }

  private client(signal: AbortSignal): ClientSide {
    const onItemsChanged = (kind: ItemKind): void => this.live?.items.changed(kind);
    return baseSide({ target: this.wanted, ports: this.ports, signal, onItemsChanged });
  }

  /** From now on calls go there. */
  private hold(connected: Extract<Connected, { kind: 'connected' }>, signal: AbortSignal): Live {
    const { upstream, list } = connected;
    const live = { upstream, list, items: new ItemLists({ upstream, clock: this.ports.clock, signal }) };
    this.live = live;
    this.expected = undefined;
    this.state.connected(connected);
    return live;
  }

  private async afterLife(live: Live, loss: Loss | undefined, lifeMs: number): Promise<number> {
    this.live = undefined;
    if (loss === undefined) {
      if (!this.stopped) await this.slots.idleWithin(linkTimes.retire, this.ports.clock);
      await live.upstream.close();
      return 0;
    }
    this.state.lost();
    if (lifeMs >= linkTimes.steady) this.backOff.reset();
    const first = !this.backOff.wasFailing;
    const pauseMs = this.backOff.afterFailure();
    const atOnce = first && !loss.authRequired;
    if (atOnce) this.expected = live.list;
    if (loss.authRequired) this.setUnlessEnded('auth_required', undefined, loss.message);
    else {
      const status = atOnce ? 'connecting' : failureStatus(this.backOff, this.wanted.config);
      this.setUnlessEnded(status, undefined, loss.message);
    }
    await live.upstream.close();
    return atOnce ? 0 : pauseMs;
  }

  private failed(connected: Exclude<Connected, { kind: 'connected' }>): number {
    this.expected = undefined;
    const { status, message, pauseMs } = failureOf(connected, this.backOff, this.wanted.config);
    this.setUnlessEnded(status, undefined, message);
    return pauseMs;
  }

  /** `stopping` is the last status, and a restart's `connecting` is not overwritten by what it ended. */
  private setUnlessEnded(
    status: Parameters<LinkState['set']>[0],
    signal: AbortSignal | undefined,
    error?: string,
  ): void {
    if (!this.stopped && signal?.aborted !== true) this.state.set(status, error);
  }
}
