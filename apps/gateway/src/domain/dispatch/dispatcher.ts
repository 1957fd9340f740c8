import type { HostCall, InstanceId } from '@uar/contracts';
import type { Ending } from '../call/ending.js';
import type { Permission } from '../call/permission.js';
import type { Clock, FaultLog, HostReply, Hosts } from '../call/ports.js';
import type { RunningCall } from '../call/running-call.js';
import type { StagedCall } from '../call/staging.js';
import { endingOf } from './ending-of-reply.js';
import type { Placement } from './placement.js';

/** Queueing at the host and the way there and back, on top of the tool's own time limit. */
const slackMs = 10_000;
/** The host ends by the same deadline; its own word is better than our silence. */
const deadlineGraceMs = 500;
/** After a cancel the host's answer may still win for this long. */
const cancelGraceMs = 5_000;

/** Stage 8: one dispatch at most. Another instance is tried only where the first one proves that it ran nothing. */
export class Dispatcher {
  constructor(
    private readonly parts: {
      readonly hosts: Hosts;
      readonly placement: Placement;
      readonly clock: Clock;
      readonly fault: FaultLog;
      readonly mostResultBytes: number;
    },
  ) {}

  async run(call: RunningCall, staged: StagedCall, permission: Permission): Promise<Ending> {
    call.dispatch();
    const stopProgress = this.routeProgress(call);
    try {
      const first = await this.send(call, staged, permission);
      const elsewhere = canGoElsewhere(first) && call.interruption === undefined;
      const reply = elsewhere ? ((await this.reroute(call, staged, permission)) ?? first) : first;
      if (reply.kind === 'refused')
        this.parts.fault(new Error(`a host refused our grant: ${reply.cause}`), call.callId);
      return endingOf(reply, call.interruption === 'cancelled');
    } finally {
      stopProgress();
    }
  }

  /** Undefined where there is nowhere to go, or nobody wants it any more. */
  private async reroute(
    call: RunningCall,
    staged: StagedCall,
    permission: Permission,
  ): Promise<HostReply | undefined> {
    const tried: readonly InstanceId[] = [permission.target.instance];
    const target = this.parts.placement.place(call, staged.entry, tried);
    if (target === undefined) return undefined;
    const grant = await permission.regrant(target);
    if (typeof grant !== 'string') return { kind: 'not_sent', cause: grant.cause };
    if (call.interruption !== undefined) return undefined;
    call.target = target;
    return this.send(call, staged, { grant, target });
  }

  private send(
    call: RunningCall,
    staged: StagedCall,
    { grant, target }: Pick<Permission, 'grant' | 'target'>,
  ): Promise<HostReply> {
    const { hosts, clock } = this.parts;
    const ask = this.hostCall(call, staged, grant);
    return new Promise((resolve, reject) => {
      let endGrace = (): void => undefined;
      const stop = call.onStir(() => {
        if (call.interruption !== 'cancelled') return;
        stop();
        hosts.cancel(target, call.callId);
        endGrace = clock.after(cancelGraceMs, () => resolve({ kind: 'cancelled', dispatched: true }));
      });
      hosts
        .run(target, ask, Math.min(ask.timeout_ms + slackMs, call.deadlineAt - clock.now() + deadlineGraceMs))
        .then(resolve, reject)
        .finally(() => {
          stop();
          endGrace();
        });
    });
  }

  private hostCall(call: RunningCall, { entry }: StagedCall, grant: string): HostCall {
    const leftMs = call.deadlineAt - this.parts.clock.now();
    const { seat } = call;
    return {
      grant,
      call_id: call.callId,
      tenant: call.caller.principal.tenant,
      server: entry.facts.server,
      raw_name: entry.facts.raw_name,
      definition_digest: entry.facts.definition_digest,
      arguments_json: call.proposed.argumentsJson,
      timeout_ms: Math.max(1, Math.floor(Math.min(entry.timeout_ms, leftMs))),
      max_result_bytes: this.parts.mostResultBytes,
      // Its run's events show it, whether or not the caller itself asked.
      wants_progress: true,
      ...(seat === undefined ? {} : { seat }),
    };
  }

  private routeProgress(call: RunningCall): () => void {
    return this.parts.hosts.onProgress(call.callId, (paramsJson) => call.progress(paramsJson));
  }
}

function canGoElsewhere(reply: HostReply): boolean {
  return reply.kind === 'no_responders' || reply.kind === 'not_owner';
}
