import type { Bus, BusFault } from '@uar/bus';
import { callProgressed, hosts, type CallId, type HostCall } from '@uar/contracts';
import type { HostAddress, HostReply, Hosts } from '../../domain/call/ports.js';
import { HostPulse } from './host-pulse.js';

type OnBus = keyof typeof hosts;

/** The hosts of both kinds over the bus. */
export class BusHosts implements Hosts<OnBus> {
  private readonly listeners = new Map<string, (paramsJson: string) => void>();
  private readonly pulse: HostPulse;
  private readonly endListening: () => void;

  constructor(private readonly bus: Bus) {
    this.pulse = new HostPulse(bus);
    this.endListening = bus.listen(callProgressed, ({ call_id, params_json }) =>
      this.listeners.get(call_id)?.(params_json),
    );
  }

  /** An answer that comes after the host was taken as dead is dropped: the call was reported already. */
  run(at: HostAddress<OnBus>, call: HostCall, withinMs: number): Promise<HostReply> {
    const options = { to: at.instance, deadlineMs: withinMs };
    return new Promise((resolve, reject) => {
      const stop = this.pulse.watch(at.instance, () => {
        resolve({ kind: 'transport_failure', message: 'host_silent' });
      });
      this.bus
        .ask(hosts[at.host].run, call, options)
        .then((reply) => resolve(reply.kind === 'answered' ? reply.value : replyOf(reply)), reject)
        .finally(stop);
    });
  }

  cancel(at: HostAddress<OnBus>, callId: CallId): void {
    void this.bus.ask(hosts[at.host].cancel, { call_id: callId }, { to: at.instance });
  }

  onProgress(callId: CallId, listener: (paramsJson: string) => void): () => void {
    this.listeners.set(callId, listener);
    return () => this.listeners.delete(callId);
  }

  close(): void {
    this.pulse.close();
    this.endListening();
  }
}

/** What a missing answer proves: only `no_responders` and a refusal before dispatch prove that nothing ran. */
function replyOf(fault: BusFault): HostReply {
  if (fault.fault === 'no_responders') return { kind: 'no_responders' };
  if (fault.beforeDispatch) return { kind: 'not_sent', cause: `host_${fault.fault}` };
  switch (fault.fault) {
    case 'timed_out':
      return { kind: 'timeout' };
    case 'too_large':
      return { kind: 'result_too_large', bytes: 0 };
    case 'bad_ask':
    case 'bad_answer':
    case 'faulted':
    case 'disconnected':
      return { kind: 'transport_failure', message: fault.fault };
  }
}
