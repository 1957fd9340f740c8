import type { Bus, BusFault } from '@uar/bus';
import { hosts, readNativeStatements, reconnectServer, tryServer } from '@uar/contracts';
import type { Hosts, ListSource, PageStart, Statements, Unreached } from '../domain/ports.js';

/** Hosts, asked over the bus. */
export class BusHosts implements Hosts {
  constructor(private readonly bus: Bus) {}

  async listPage({ host, instance, tenant, server }: ListSource, from: PageStart) {
    const ask = { tenant, server, ...(from === undefined ? {} : { from }) };
    const reply = await this.bus.ask(hosts[host].listTools, ask, { to: instance });
    return reply.kind === 'fault' ? unreached(reply) : reply.value;
  }

  async statements(instance: string): Promise<Statements | undefined> {
    const reply = await this.bus.ask(readNativeStatements, {}, { to: instance });
    return reply.kind === 'fault' ? undefined : reply.value.statements;
  }

  async tryServer(attempt: Parameters<Hosts['tryServer']>[0], signal: AbortSignal) {
    const reply = await this.bus.ask(tryServer, attempt, { signal });
    return reply.kind === 'fault' ? unreached(reply) : reply.value;
  }

  async reconnect({ instance, ...ask }: Parameters<Hosts['reconnect']>[0], signal: AbortSignal) {
    const reply = await this.bus.ask(reconnectServer, ask, { to: instance, signal });
    return reply.kind === 'fault' ? unreached(reply) : reply.value;
  }
}

function unreached({ fault }: BusFault): Unreached {
  return { kind: 'unreached', reason: fault === 'no_responders' ? 'no host is there' : fault };
}
