import type { CatalogServer, GrantTarget, InstanceId } from '@uar/contracts';
import type { Ending } from '../call/ending.js';
import type { Permission } from '../call/permission.js';
import type { CallerTokens, Clock, FaultLog, HostReply, Hosts } from '../call/ports.js';
import type { RunningCall } from '../call/running-call.js';
import { endingOf } from './ending-of-reply.js';
import type { Placed, Placement } from './placement.js';

/** Queueing at the host and the way there and back, on top of the time limit of what it runs. */
const slackMs = 10_000;
/** The limit of a host stands still while the client of a call is asked: for so long in all, at most. */
const mostAskedMs = 30 * 60_000;
/** The host ends by the same deadline; its own word is better than our silence. */
const deadlineGraceMs = 500;
/** After a cancel the host's answer may still win for this long. */
const cancelGraceMs = 5_000;

/** What a host is sent under a grant, and how long it and the wait for it may take, in milliseconds. */
export interface Sending {
  readonly target: GrantTarget;
  readonly grant: string;
  readonly timeoutMs: number;
  readonly withinMs: number;
  readonly mostResultBytes: number;
  /** Where the server acts for the caller. */
  readonly callerToken?: string | undefined;
}

/** One thing to dispatch, whatever it is. */
export interface Dispatch {
  readonly placed: Placed;
  send(hosts: Hosts, sending: Sending): Promise<HostReply>;
}

/** Stage 8: one dispatch at most. Another instance is tried only where the first one proves that it ran nothing. */
export class Dispatcher {
  constructor(
    private readonly parts: {
      readonly hosts: Hosts;
      readonly callerTokens: CallerTokens;
      readonly placement: Placement;
      readonly clock: Clock;
      readonly fault: FaultLog;
      readonly mostResultBytes: number;
    },
  ) {}

  async run(call: RunningCall, dispatch: Dispatch, permission: Permission): Promise<Ending> {
    call.dispatch();
    const stopProgress = this.routeProgress(call);
    try {
      const first = await this.send(call, dispatch, permission);
      const elsewhere = canGoElsewhere(first) && call.interruption === undefined;
      const reply = elsewhere ? ((await this.reroute(call, dispatch, permission)) ?? first) : first;
      if (reply.kind === 'refused')
        this.parts.fault(new Error(`a host refused our grant: ${reply.cause}`), call.callId);
      return endingOf(reply, { cancelAsked: call.interruption === 'cancelled', ...dispatch.placed });
    } finally {
      stopProgress();
    }
  }

  /** Undefined where there is nowhere to go, or nobody wants it any more. */
  private async reroute(
    call: RunningCall,
    dispatch: Dispatch,
    permission: Permission,
  ): Promise<HostReply | undefined> {
    const tried: readonly InstanceId[] = [permission.target.instance];
    const target = this.parts.placement.place(call, dispatch.placed, tried);
    if (target === undefined) return undefined;
    const grant = await permission.regrant(target);
    if (typeof grant !== 'string') return { kind: 'not_sent', cause: grant.cause };
    if (call.interruption !== undefined) return undefined;
    call.target = target;
    return this.send(call, dispatch, { grant, target });
  }

  private send(
    call: RunningCall,
    dispatch: Dispatch,
    { grant, target }: Pick<Permission, 'grant' | 'target'>,
  ): Promise<HostReply> {
    const { hosts, clock } = this.parts;
    const leftMs = call.deadlineAt - clock.now();
    const timeoutMs = Math.max(1, Math.floor(Math.min(dispatch.placed.timeoutMs, leftMs)));
    const askedMs = canBeAsked(call) ? mostAskedMs : 0;
    const withinMs = Math.min(timeoutMs + slackMs + askedMs, leftMs + deadlineGraceMs);
    const { mostResultBytes } = this.parts;
    const sending = { target, grant, timeoutMs, withinMs, mostResultBytes };
    return new Promise((resolve, reject) => {
      let endGrace = (): void => undefined;
      const stop = call.onStir(() => {
        if (call.interruption !== 'cancelled') return;
        stop();
        hosts.cancel(target, call.callId);
        endGrace = clock.after(cancelGraceMs, () => resolve({ kind: 'cancelled', dispatched: true }));
      });
      this.sent(call, dispatch, sending)
        .then(resolve, reject)
        .finally(() => {
          stop();
          endGrace();
        });
    });
  }

  private sent(call: RunningCall, dispatch: Dispatch, sending: Sending): Promise<HostReply> {
    const { server } = call;
    if (server?.takes_caller_token === true) return this.sentWithToken({ call, dispatch, server }, sending);
    return dispatch.send(this.parts.hosts, sending);
  }

  private async sentWithToken(
    { call, dispatch, server }: { call: RunningCall; dispatch: Dispatch; server: CatalogServer },
    sending: Sending,
  ): Promise<HostReply> {
    const { hosts, callerTokens } = this.parts;
    const callerToken = await callerTokens.forHost(call, server, sending.target.instance);
    if (call.interruption === 'cancelled') return { kind: 'cancelled', dispatched: false };
    return await dispatch.send(hosts, { ...sending, callerToken });
  }

  private routeProgress(call: RunningCall): () => void {
    return this.parts.hosts.onProgress(call.callId, (paramsJson) => call.progress(paramsJson));
  }
}

/** Its upstream is told of a client that declared anything. */
function canBeAsked({ seat }: RunningCall): boolean {
  return seat !== undefined && seat.capabilities_json !== '{}';
}

function canGoElsewhere(reply: HostReply): boolean {
  return reply.kind === 'no_responders' || reply.kind === 'not_owner';
}
