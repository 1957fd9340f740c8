import type { Bus, BusFault, Reply } from '@uar/bus';
import {
  callProgressed,
  hosts,
  listItems,
  runItem,
  type AnswerOf,
  type AskOf,
  type CallId,
  type HostCall,
  type HostItemRequest,
  type InstanceId,
} from '@uar/contracts';
import type { HostAddress, HostReply, Hosts, Unavailable } from '../../domain/call/ports.js';
import type { ItemHosts } from '../../domain/item/ports.js';
import type { HostPulse } from './host-pulse.js';
import { unavailable } from './pdp.js';

type OnBus = keyof typeof hosts;

/** The hosts of both kinds over the bus. */
export class BusHosts implements Hosts<OnBus>, ItemHosts {
  private readonly listeners = new Map<string, (paramsJson: string) => void>();
  private readonly endListening: () => void;

  constructor(
    private readonly bus: Bus,
    private readonly pulse: HostPulse,
  ) {
    this.endListening = bus.listen(callProgressed, ({ call_id, params_json }) =>
      this.listeners.get(call_id)?.(params_json),
    );
  }

  run(at: HostAddress<OnBus>, call: HostCall, withinMs: number): Promise<HostReply> {
    const options = { to: at.instance, deadlineMs: withinMs };
    return this.watched(at.instance, this.bus.ask(hosts[at.host].run, call, options));
  }

  runItem(at: HostAddress<OnBus>, request: HostItemRequest, withinMs: number): Promise<HostReply> {
    const options = { to: at.instance, deadlineMs: withinMs };
    return this.watched(at.instance, this.bus.ask(runItem, request, options));
  }

  async page(
    to: InstanceId,
    ask: AskOf<typeof listItems>,
    withinMs: number,
  ): Promise<AnswerOf<typeof listItems> | Unavailable> {
    if (withinMs < 1) return { kind: 'unavailable', cause: 'deadline_before_list' };
    const reply = await this.bus.ask(listItems, ask, { to, deadlineMs: Math.floor(withinMs) });
    return reply.kind === 'answered' ? reply.value : unavailable('host', reply);
  }

  cancel(at: HostAddress<OnBus>, callId: CallId): void {
    void this.bus.ask(hosts[at.host].cancel, { call_id: callId }, { to: at.instance });
  }

  onProgress(callId: CallId, listener: (paramsJson: string) => void): () => void {
    this.listeners.set(callId, listener);
    return () => this.listeners.delete(callId);
  }

  /** An answer that comes after the host was taken as dead is dropped: the call was reported already. */
  private watched(at: InstanceId, asked: Promise<Reply<typeof runItem>>): Promise<HostReply> {
    return new Promise((resolve, reject) => {
      const stop = this.pulse.watch(at, () => {
        resolve({ kind: 'transport_failure', message: 'host_silent' });
      });
      asked
        .then((reply) => resolve(reply.kind === 'answered' ? reply.value : replyOf(reply)), reject)
        .finally(stop);
    });
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
