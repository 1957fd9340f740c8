import type { LogLevel, Seat } from '@uar/contracts';
import type { ClientSide, Notice } from '../client-side.js';
import { Subscriptions } from '../items/subscriptions.js';
import { changedKind } from '../link/base-side.js';
import { open, type ConnectTarget } from '../link/connect.js';
import { linkTimes, maxQueuedPerSlot } from '../link/link-times.js';
import { Slots } from '../link/slots.js';
import { Notices } from '../notices/notices.js';
import { unlessAborted } from '../unless-aborted.js';
import type { MissingCredentials, Upstream } from '../upstream.js';
import { capabilitiesOf } from './capabilities.js';
import { saysAtLeast } from './log-level.js';
import { cancelledBefore, overloaded, type Claim, type Place, type Placed } from './place.js';
import type { SeatsOptions } from './seats.js';
import { unresolvedText } from '../expand/placeholders.js';

export interface SeatSessionOptions extends Pick<SeatsOptions, 'ports' | 'onItemsChanged'> {
  readonly target: ConnectTarget;
  readonly claim: Claim;
  /** Not to be used any more: it could not be opened, was lost, or is idle. */
  readonly onOver: () => void;
}

type Opening =
  | { readonly kind: 'open'; readonly upstream: Upstream }
  | { readonly kind: 'failed'; readonly message: string; readonly cause?: MissingCredentials | undefined };

/** One session with an upstream that belongs to one seat of one principal. */
export class SeatSession {
  /** Of calls over this session alone: who lets a question wait holds up nobody else. */
  readonly slots: Slots;
  private readonly subscriptions = new Subscriptions();
  private readonly life = new AbortController();
  private readonly notices: Notices;
  private readonly opening: Promise<Opening>;
  /** As the latest call named it. */
  private seat: Seat | undefined;
  private level: LogLevel | undefined;
  private users = 0;
  private emptySince = 0;
  /** Aborted by the next call. */
  private idle = new AbortController();
  private onEmpty: (() => void) | undefined;
  private ended: Promise<void> | undefined;

  constructor(private readonly options: SeatSessionOptions) {
    const { concurrency } = options.target.config;
    this.slots = new Slots(concurrency, concurrency * maxQueuedPerSlot);
    this.seat = options.claim.seat;
    this.notices = new Notices({
      ...{ clock: options.ports.clock, signal: this.life.signal },
      pass: (notice) => this.pass(notice),
    });
    this.opening = this.open();
  }

  get principal(): string {
    return this.options.claim.principal;
  }

  /** Since when no call runs, in epoch milliseconds; undefined while one does. */
  get idleSince(): number | undefined {
    return this.users === 0 ? this.emptySince : undefined;
  }

  async enter(seat: Seat | undefined, signal: AbortSignal): Promise<Placed> {
    this.users += 1;
    this.idle.abort();
    if (seat !== undefined) this.seat = seat;
    const placed = await this.placed(signal);
    if (placed.kind !== 'placed') this.leave();
    return placed;
  }

  /** No call should come any more; those that run have `graceMs`. Settles when the connection is closed. */
  async end(graceMs: number): Promise<void> {
    this.ended ??= this.close(graceMs);
    if (graceMs === 0) this.onEmpty?.();
    await this.ended;
  }

  private async open(): Promise<Opening> {
    const { target, ports, claim } = this.options;
    const { signal } = this.life;
    try {
      const opened = await open(target, ports, {
        ...{ signal, client: this.clientSide(), principal: claim.principal },
        onToolsChanged: () => undefined,
        onUnreachable: this.options.onOver,
      });
      if (opened.kind === 'open') return this.opened(opened.upstream);
      const message = opened.kind === 'unresolved' ? unresolvedText(opened.missing) : opened.message;
      return this.failed(message, opened.kind === 'auth_required' ? opened.missing : undefined);
    } catch (error) {
      ports.onFault(error);
      return this.failed('an internal fault; see the log');
    }
  }

  private opened(upstream: Upstream): Opening {
    void upstream.lost.then(this.options.onOver);
    return { kind: 'open', upstream };
  }

  private failed(message: string, cause?: MissingCredentials): Opening {
    const { ports, target, onOver } = this.options;
    if (!this.life.signal.aborted) ports.onSeatFailed(target, message);
    onOver();
    return { kind: 'failed', message, cause };
  }

  private async placed(signal: AbortSignal): Promise<Placed> {
    const opening = await unlessAborted(this.opening, signal);
    if (opening === undefined) return cancelledBefore;
    if (opening.kind === 'failed') {
      const { message, cause } = opening;
      return { kind: 'unavailable', message, ...(cause === undefined ? {} : { cause }) };
    }
    const taken = await this.slots.take(signal);
    if (taken === 'aborted') return cancelledBefore;
    if (taken === 'full') return overloaded;
    await this.heedLevel(opening.upstream);
    return { kind: 'placed', place: this.placeIn(opening.upstream) };
  }

  private placeIn(upstream: Upstream): Place {
    const leave = (): void => {
      this.slots.release();
      this.leave();
    };
    return { upstream, subscriptions: this.subscriptions, leave };
  }

  private leave(): void {
    this.users -= 1;
    if (this.users > 0) return;
    this.emptySince = this.options.ports.clock.now();
    this.onEmpty?.();
    if (this.ended === undefined) void this.giveUpWhenIdle();
  }

  private async giveUpWhenIdle(): Promise<void> {
    const idle = new AbortController();
    this.idle = idle;
    const ms = this.subscriptions.size > 0 ? linkTimes.subscribedSeatIdle : linkTimes.seatIdle;
    await this.options.ports.clock.wait(ms, idle.signal);
    if (!idle.signal.aborted) this.options.onOver();
  }

  private async close(graceMs: number): Promise<void> {
    const { clock } = this.options.ports;
    const done = new AbortController();
    const empty = new Promise<void>((resolve) => {
      this.onEmpty = resolve;
    });
    if (this.users > 0) await Promise.race([empty, clock.wait(graceMs, done.signal)]);
    done.abort();
    this.idle.abort();
    this.life.abort();
    const opening = await this.opening;
    if (opening.kind === 'open') await opening.upstream.close();
  }

  private clientSide(): ClientSide {
    const { clients } = this.options.ports;
    const { seat } = this.options.claim;
    const onNotice = (notice: Notice): void => this.hear(notice);
    if (seat === undefined) return { capabilities: {}, onNotice };
    return {
      capabilities: capabilitiesOf(seat.capabilities_json),
      answer: async (request, signal) => await clients.ask(this.seat ?? seat, request, signal),
      onNotice,
    };
  }

  private hear(notice: Notice): void {
    const kind = changedKind(notice.method);
    if (kind !== undefined) this.options.onItemsChanged(kind);
    const isBelow =
      notice.method === 'notifications/message' &&
      this.level !== undefined &&
      !saysAtLeast(this.level, notice.paramsJson);
    if (this.seat !== undefined && !isBelow) this.notices.tell(notice);
  }

  private pass({ method, paramsJson, callId }: Notice): void {
    const { seat } = this;
    if (seat === undefined) return;
    const { tenant, name } = this.options.target;
    const { principal } = this.options.claim;
    this.options.ports.clients.notify({
      ...{ tenant, server: name, method, params_json: paramsJson },
      seat: { id: seat.id, gateway: seat.gateway, principal },
      ...(callId === undefined ? {} : { call_id: callId }),
    });
  }

  private async heedLevel(upstream: Upstream): Promise<void> {
    const level = this.seat?.log_level;
    if (level === undefined || level === this.level) return;
    this.level = level;
    if (upstream.offers.logging) await upstream.setLogLevel(level);
  }
}
