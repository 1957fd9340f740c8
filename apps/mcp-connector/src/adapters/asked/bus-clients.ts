import { randomUUID } from 'node:crypto';
import { ErrorCode } from '@modelcontextprotocol/sdk/types.js';
import type { Bus } from '@uar/bus';
import { askClient, upstreamNotified, withdrawAsk, type BodyOf, type InstanceId } from '@uar/contracts';
import type { ClientAnswer, ClientRequest } from '../../domain/client-side.js';
import type { Clients } from '../../domain/link/connection.js';

/** Clients behind the gateway instances that their seats name. */
export class BusClients implements Clients {
  constructor(private readonly bus: Bus) {}

  async ask(
    { id, gateway }: { readonly id: string; readonly gateway: InstanceId },
    { method, paramsJson, callId }: ClientRequest,
    signal: AbortSignal,
  ): Promise<ClientAnswer> {
    const call = callId === undefined ? {} : { call_id: callId };
    const named = { ask_id: randomUUID(), seat_id: id };
    const withdraw = (): void => void this.bus.ask(withdrawAsk, named, { to: gateway });
    signal.addEventListener('abort', withdraw, { once: true });
    const ask = { ...named, method, params_json: paramsJson, ...call };
    const reply = await this.bus.ask(askClient, ask, { to: gateway, signal });
    signal.removeEventListener('abort', withdraw);
    if (reply.kind === 'answered') return reply.value;
    if (reply.fault === 'no_responders') return { kind: 'gone' };
    return { kind: 'failed', code: ErrorCode.InternalError, message: 'the client gave no answer' };
  }

  notify(notice: BodyOf<typeof upstreamNotified>): void {
    this.bus.announce(upstreamNotified, notice);
  }
}
