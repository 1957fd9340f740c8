import type { CallId, Caller } from '@uar/contracts';
import type { JsonText } from '@uar/json-text';
import type { ParkedCalls } from '../../../../domain/approval/parked-calls.js';
import type { CallEnding, CallHandle } from '../../../../domain/call/proposed-call.js';
import type { CallClient } from '../../../../domain/client/call-client.js';
import type { CallClients } from '../../../../domain/client/call-clients.js';
import type { ConnectedClients } from '../../../../domain/client/connected-clients.js';
import type { Asked } from '../request-stream.js';
import type { AskedAgain } from './asked-again.js';
import { listenFor } from './listening.js';
import type { SameCall } from './request-state.js';

interface AskedClientParts {
  readonly clients: CallClients;
  readonly parked: Pick<ParkedCalls, 'sendAway'>;
  readonly news: Pick<ConnectedClients, 'overhear'>;
  readonly again: AskedAgain;
}

type Handle = Pick<CallHandle, 'decided' | 'park'> & {
  readonly callId: CallId;
  readonly ended: Promise<Pick<CallEnding, 'outcome'>>;
};

/** While it is paused, what an upstream asks is nobody's interim answer, and waits. */
export interface Attention {
  pause(): void;
  resume(): void;
}

/** Calls whose upstreams may ask their clients: what they ask is the interim answer. */
export class AskedClients {
  constructor(private readonly parts: AskedClientParts) {}

  /** Undefined: there is nothing to ask this client for, and nothing to tell it. */
  begin(
    caller: Caller,
    { declared, level }: Asked,
    given: ReadonlyMap<string, string>,
  ): CallClient | undefined {
    return this.parts.clients.begin(caller, { declared, level, given });
  }

  /** `onAsked` gets the interim answer, after which nobody waits for the call. */
  attend(
    client: CallClient,
    { handle, call, asked }: { readonly handle: Handle; readonly call: SameCall; readonly asked: Asked },
    onAsked: (interim: JsonText) => void,
  ): Attention {
    const { parked, again, news } = this.parts;
    client.runs(handle);
    const watch = (): (() => void) =>
      client.asks.watch(() => {
        const sentAway = parked.sendAway(handle.callId);
        if (sentAway === undefined) return;
        stop();
        handle.park();
        onAsked(again.inputs(call, sentAway));
      });
    let stopWatching = watch();
    let stopListening = (): void => undefined;
    const stop = (): void => {
      stopWatching();
      stopListening();
    };
    // Then it is known whether it became one with another call.
    void handle.decided.then(() => {
      stopListening = listenFor(asked, { news, caller: call.caller, callId: handle.callId });
    });
    void handle.ended.then(({ outcome }) => {
      stop();
      client.close({ isQuiet: answered.has(outcome) });
    });
    return {
      pause: () => stopWatching(),
      resume: () => {
        stopWatching = watch();
      },
    };
  }
}

/** Outcomes that an upstream's own answer has. */
const answered = new Set<string>(['completed', 'tool_error', 'upstream_error']);
