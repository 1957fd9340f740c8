import {
  principalId,
  type AnswerOf,
  type AskOf,
  type CallId,
  type Caller,
  type InstanceId,
  type attendCall,
} from '@uar/contracts';
import type { Clock, Unavailable } from '../call/ports.js';
import type { CallHandle, CallOwner, CallPipeline } from '../call/proposed-call.js';
import { callViewText } from '../view/call-view.js';
import { holderOf } from '../view/read-view.js';
import { writtenAsks, type ParkedAsk, type ParkedAsks } from '../client/parked-asks.js';
import type { KeptCalls } from './kept-calls.js';

export type Deed = AskOf<typeof attendCall>['deed'];

export interface Attendance {
  readonly caller: Caller;
  readonly callId: CallId;
  readonly deed: Deed;
}

export type Attended =
  | {
      readonly kind: 'found';
      /** CallView as JSON text. */
      readonly viewJson: string;
      /** What its upstream asks whoever waits for it. */
      readonly asks: readonly ParkedAsk[];
    }
  /** No call of this caller. */
  | { readonly kind: 'not_found' }
  | Unavailable;

/** Other gateways, and the calls that run there. */
export interface Elsewhere {
  /** Undefined: that gateway does not answer. */
  attend(ask: Attendance, at: InstanceId): Promise<Attended | undefined>;
}

/** A cancelled call has this long to end before its state is shown as it is. */
const cancelWaitMs = 6_000;

/** A caller's own calls, wherever they run or are kept. */
export class AttendedCalls {
  constructor(
    private readonly parts: {
      readonly pipeline: CallPipeline;
      readonly kept: KeptCalls;
      readonly elsewhere: Elsewhere;
      readonly gateway: InstanceId;
      readonly clock: Clock;
      /** Of a call that has not ended here. */
      asksOf(callId: CallId): ParkedAsks | undefined;
    },
  ) {}

  async attend(ask: Attendance): Promise<Attended> {
    const { caller, callId } = ask;
    const running = this.parts.pipeline.find(callId);
    if (running !== undefined)
      return isOwn(caller, running.owner) ? this.here(running, ask) : { kind: 'not_found' };
    const kept = await this.parts.kept.read(caller.principal.tenant, callId);
    if (kept.kind !== 'found') return kept;
    if (!isOwn(caller, kept.owner)) return { kind: 'not_found' };
    const { pendingAt, viewJson } = kept;
    const known = { kind: 'found', viewJson, asks: [] } as const;
    const at = pendingAt ?? (ask.deed.kind === 'read' ? holderOf(viewJson) : undefined);
    if (at === undefined || at === this.parts.gateway) return known;
    const attended = await this.parts.elsewhere.attend(ask, at);
    if (attended !== undefined) return attended;
    // It may be gone: its calls are then closed in its place, and this is what is known. Nothing was done to them (ADR 35).
    return ask.deed.kind === 'read' ? known : { kind: 'unavailable', cause: 'gateway_silent' };
  }

  async attendFor(ask: AskOf<typeof attendCall>): Promise<AnswerOf<typeof attendCall>> {
    const attended = await this.attend({ caller: ask.caller, callId: ask.call_id, deed: ask.deed });
    if (attended.kind !== 'found') return attended;
    return { kind: 'found', view_json: attended.viewJson, inputs: writtenAsks(attended.asks) };
  }

  private async here(running: CallHandle, { caller, callId, deed }: Attendance): Promise<Attended> {
    const asks = this.parts.asksOf(callId);
    switch (deed.kind) {
      case 'read':
        break;
      case 'cancel':
        running.cancel();
        await this.settled(running);
        break;
      case 'answer':
        asks?.take({ shown: asks.count, byKey: new Map(Object.entries(deed.by_key)) });
    }
    const state = running.state();
    if (state.kind === 'pending')
      return { kind: 'found', viewJson: callViewText(state), asks: asks?.list() ?? [] };
    const kept = await this.parts.kept.read(caller.principal.tenant, callId);
    const viewJson = kept.kind === 'found' ? kept.viewJson : callViewText(state, { withoutResult: true });
    return { kind: 'found', viewJson, asks: [] };
  }

  private settled(running: CallHandle): Promise<void> {
    return new Promise((resolve) => {
      const stop = this.parts.clock.after(cancelWaitMs, resolve);
      void running.ended.then(() => {
        stop();
        resolve();
      });
    });
  }
}

export function isOwn(caller: Caller, owner: CallOwner): boolean {
  return owner.tenant === caller.principal.tenant && owner.principal === principalId(caller.principal);
}

/** Injection token of the AttendedCalls. */
export const ATTENDED_CALLS = Symbol('uar.gateway.attended-calls');
