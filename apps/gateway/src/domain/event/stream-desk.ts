import { RunId, principalId, type Caller } from '@uar/contracts';
import type { Access } from '../access/access.js';
import type { Clock, Unavailable } from '../call/ports.js';
import type { RunDesk } from '../run/run-desk.js';
import { notedEvents } from './noted-events.js';
import type { EventWindow, WindowPlace } from './ports.js';
import type { StreamView } from './shown-events.js';
import type { EventStreams, StreamAnswer, StreamEnd, StreamRequest } from './streams.js';
import { Subscriber } from './subscriber.js';

const mostStreams = 1_000;
const mostPerPrincipal = 32;
const retryAfterMs = 5_000;
const tickMs = 1_000;
const lookEveryMs = 10_000;
const longestStuckMs = 60_000;
/** A run that ended this long ago has no calls that still end. */
const settledMs = 10_000;

type Rights =
  | {
      readonly kind: 'may';
      readonly view: StreamView;
      readonly place: WindowPlace;
      readonly isActive: boolean;
    }
  | { readonly kind: 'not_found' }
  | Unavailable;

interface Stream {
  readonly request: StreamRequest;
  readonly subscriber: Subscriber;
  lookedAt: number;
  /** Looks in a row that nobody answered. */
  unanswered: number;
}

interface Parts {
  readonly window: EventWindow;
  readonly runs: Pick<RunDesk, 'watch'>;
  readonly access: Access;
  readonly clock: Clock;
  /** Logs once and names the line. */
  fault(error: unknown): string;
}

/** Who follows what: admits streams, looks again and again whether they still may, and ends them. */
export class StreamDesk implements EventStreams {
  private readonly streams = new Set<Stream>();
  /** Open streams and those about to be opened, by principal. */
  private readonly places = new Map<string, number>();
  private taken = 0;
  private isClosed = false;
  private stopTicking: (() => void) | undefined;

  constructor(private readonly parts: Parts) {}

  get size(): number {
    return this.streams.size;
  }

  async open(request: StreamRequest): Promise<StreamAnswer> {
    if (this.isClosed) return { kind: 'unavailable', cause: 'gateway_stopping' };
    const leave = this.takePlace(request.caller);
    if (leave === undefined) return { kind: 'limited', retryAfterMs };
    const answer = await this.admit(request, leave).catch((error: unknown) => {
      leave();
      throw error;
    });
    if (answer.kind !== 'admitted') leave();
    return answer;
  }

  /** Ends every stream, and takes no new one. */
  close(): void {
    this.isClosed = true;
    this.stopTicking?.();
    for (const stream of this.streams) this.end(stream, 'stopping');
  }

  private async admit(request: StreamRequest, leave: () => void): Promise<StreamAnswer> {
    const rights = await this.rightsOf(request);
    if (rights.kind !== 'may') return rights;
    const { window } = this.parts;
    const { lastEventId } = request;
    const isRun = rights.view.kind === 'run';
    const isFresh = lastEventId === undefined;
    const cursor = lastEventId ?? (isRun ? 0 : await newest(window, rights.place));
    if (cursor === undefined) return { kind: 'unavailable', cause: 'ledger' };
    if (isRun && !rights.isActive && !isFresh && (await this.isComplete(rights.place, cursor)))
      return { kind: 'complete' };
    const { view, place } = rights;
    return {
      kind: 'admitted',
      leave,
      begin: (outlet) => {
        outlet.onClose(leave);
        const subscriber = new Subscriber({ ...this.parts, outlet, place, view, cursor, isFresh });
        const stream = { request, subscriber, lookedAt: this.parts.clock.now(), unanswered: 0 };
        this.streams.add(stream);
        if (this.stopTicking === undefined) this.tickLater();
        outlet.onClose(() => this.streams.delete(stream));
        if (!rights.isActive) subscriber.runIsOver();
        if (this.isClosed) this.end(stream, 'stopping');
      },
    };
  }

  private async rightsOf({ caller, runId }: StreamRequest): Promise<Rights> {
    return runId === undefined ? this.rightsInTenant(caller) : this.rightsInRun(caller, runId);
  }

  private async rightsInTenant(caller: Caller): Promise<Rights> {
    const { access } = this.parts;
    const { principal } = caller;
    const [calls, servers] = await Promise.all([
      access.may(caller, { kind: 'admin', action: 'readCalls' }),
      access.may(caller, { kind: 'admin', action: 'readServers' }),
    ]);
    if (calls.kind === 'unavailable') return calls;
    if (servers.kind === 'unavailable') return servers;
    const seesRuns = calls.kind === 'allowed' ? 'all' : 'own';
    const view = {
      kind: 'tenant',
      viewer: principal,
      seesRuns,
      seesServers: servers.kind === 'allowed',
    } as const;
    return { kind: 'may', view, place: { tenant: principal.tenant }, isActive: true };
  }

  private async rightsInRun(caller: Caller, id: string): Promise<Rights> {
    const runId = RunId.safeParse(id);
    if (!runId.success) return { kind: 'not_found' };
    const place = { tenant: caller.principal.tenant, runId: runId.data };
    const watched = await this.parts.runs.watch(caller, id);
    if (watched.kind === 'watched')
      return { kind: 'may', view: { kind: 'run' }, place, isActive: watched.isActive };
    if (watched.kind === 'unavailable') return watched;
    return this.rightsInUnopened(caller, place);
  }

  /** The implicit run of somebody else is in no list of runs: it is where its events are. */
  private async rightsInUnopened(caller: Caller, place: WindowPlace): Promise<Rights> {
    const { access, window } = this.parts;
    const allowance = await access.may(caller, { kind: 'admin', action: 'readCalls' });
    if (allowance.kind === 'unavailable') return allowance;
    if (allowance.kind === 'denied') return { kind: 'not_found' };
    const last = await newest(window, place);
    if (last === undefined) return { kind: 'unavailable', cause: 'ledger' };
    return last === 0 ? { kind: 'not_found' } : { kind: 'may', view: { kind: 'run' }, place, isActive: true };
  }

  /** Nothing follows, and nothing will: the run and its last call are over for a while. */
  private async isComplete(place: WindowPlace, lastEventId: number): Promise<boolean> {
    const page = await this.parts.window.read(place, Math.max(0, lastEventId - 1));
    if (page.kind === 'unavailable' || page.last !== lastEventId) return false;
    const group = page.groups.at(-1);
    if (group === undefined) return lastEventId > 0;
    const last = notedEvents(group).at(-1);
    return last !== undefined && this.parts.clock.now() - last.at >= settledMs;
  }

  private takePlace({ principal }: Caller): (() => void) | undefined {
    const key = JSON.stringify([principalId(principal), principal.issuer, principal.agent_id ?? '']);
    const own = this.places.get(key) ?? 0;
    if (this.taken >= mostStreams || own >= mostPerPrincipal) return undefined;
    this.taken += 1;
    this.places.set(key, own + 1);
    let isLeft = false;
    return () => {
      if (isLeft) return;
      isLeft = true;
      this.taken -= 1;
      const left = (this.places.get(key) ?? 1) - 1;
      if (left === 0) this.places.delete(key);
      else this.places.set(key, left);
    };
  }

  private tickLater(): void {
    this.stopTicking = this.parts.clock.after(tickMs, () => {
      this.stopTicking = undefined;
      for (const stream of this.streams) this.check(stream);
      if (this.streams.size > 0) this.tickLater();
    });
  }

  private check(stream: Stream): void {
    const now = this.parts.clock.now();
    if (stream.request.caller.principal.expires_at <= now) return this.end(stream, 'token_expired');
    if (stream.subscriber.stuckMs(now) >= longestStuckMs) return this.end(stream, 'too_slow');
    if (now - stream.lookedAt < lookEveryMs) return;
    stream.lookedAt = now;
    this.lookAgain(stream).catch((error: unknown) => stream.subscriber.breakOff(error));
  }

  private async lookAgain(stream: Stream): Promise<void> {
    const rights = await this.rightsOf(stream.request);
    switch (rights.kind) {
      case 'not_found':
        return this.end(stream, 'not_allowed');
      case 'unavailable':
        stream.unanswered += 1;
        if (stream.unanswered > 1) this.end(stream, 'unavailable');
        return;
      case 'may':
        stream.unanswered = 0;
        stream.subscriber.show(rights.view);
        if (rights.isActive) stream.subscriber.look();
        else stream.subscriber.runIsOver();
    }
  }

  private end(stream: Stream, reason: StreamEnd): void {
    this.streams.delete(stream);
    stream.subscriber.end(reason);
  }
}

async function newest(window: EventWindow, place: WindowPlace): Promise<number | undefined> {
  const page = await window.read(place, Number.MAX_SAFE_INTEGER);
  return page.kind === 'page' ? page.last : undefined;
}
