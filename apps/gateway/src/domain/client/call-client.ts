import type { Seat } from '@uar/contracts';
import type { Clock } from '../call/ports.js';
import { gone, tooManyAsks } from './client-answer.js';
import type { ClientAnswer, ClientAsk, ConnectedClient } from './connected-clients.js';
import { takes, type Declared } from './declared.js';
import { ParkedAsks } from './parked-asks.js';

export interface CallClientOptions {
  readonly tenant: string;
  /** Cedar id of its principal. */
  readonly owner: string;
  /** Nobody else's while the call lasts. */
  readonly seat: Seat;
  readonly declared: Declared;
  /** Results by name that it brought with its call. */
  readonly given: ReadonlyMap<string, string>;
  readonly clock: Pick<Clock, 'after'>;
  /** As many asks wait for clients of its principal as may. */
  isCrowded(): boolean;
  /** The call has ended; `isQuiet`: its upstream has answered, and does nothing any more. */
  onClose(isQuiet: boolean): void;
}

/** The client of one call that has no session: what it is asked waits until it comes back. */
export class CallClient implements ConnectedClient {
  readonly tenant: string;
  readonly owner: string;
  readonly asks: ParkedAsks;
  private declared: Declared;
  private call: { readonly callId: string } | undefined;
  private stopWaiting = (): void => undefined;

  constructor(private readonly options: CallClientOptions) {
    this.tenant = options.tenant;
    this.owner = options.owner;
    this.declared = options.declared;
    this.asks = new ParkedAsks(options.clock, options.given);
  }

  get seat(): Seat {
    return this.options.seat;
  }

  get seatId(): string {
    return this.options.seat.id;
  }

  /** Which call it is whose client this is. */
  runs(call: { readonly callId: string }): void {
    this.call = call;
  }

  /** Where the upstream does not say during which call it asks, this is the only one of the seat. */
  ask(ask: ClientAsk, signal: AbortSignal): Promise<ClientAnswer> {
    const isOurs = ask.call_id === undefined || ask.call_id === this.call?.callId;
    if (!isOurs || !takes(this.declared, ask)) return Promise.resolve(gone);
    return this.options.isCrowded() ? Promise.resolve(tooManyAsks) : this.asks.ask(ask, signal);
  }

  /** It is told by the stream of whoever waits for the call. */
  hear(): void {}

  /** What it declares now: it is not asked for more. */
  declare(declared: Declared): void {
    this.declared = declared;
    this.asks.keep((ask) => takes(declared, ask));
  }

  /** It was sent away; `giveUp` unless it is back within `ms`. */
  expect(ms: number, giveUp: () => void): void {
    this.stopWaiting();
    this.stopWaiting = this.options.clock.after(ms, giveUp);
  }

  isBack(): void {
    this.stopWaiting();
  }

  close({ isQuiet }: { readonly isQuiet: boolean }): void {
    this.stopWaiting();
    this.asks.end();
    this.options.onClose(isQuiet);
  }
}
