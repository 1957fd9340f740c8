import { Controller, Inject } from '@nestjs/common';
import { Answers, type AskContext } from '@uar/bus';
import { reconnectServer, tryServer, type AnswerOf, type AskOf } from '@uar/contracts';
import { Fleet } from './domain/fleet.js';
import type { ConnectPorts } from './domain/link/connect.js';
import { tryOut } from './domain/try-server.js';

/** Injection token of `ConnectPorts`. */
export const CONNECT_PORTS = Symbol('mcp-connector.connect-ports');

@Controller()
export class ServersController {
  constructor(
    @Inject(Fleet) private readonly fleet: Fleet,
    @Inject(CONNECT_PORTS) private readonly ports: ConnectPorts,
  ) {}

  @Answers(tryServer)
  async try(ask: AskOf<typeof tryServer>, context: AskContext): Promise<AnswerOf<typeof tryServer>> {
    if (this.fleet.stopping) return { kind: 'connect_failed', message: 'the host is stopping' };
    return await tryOut(ask, this.ports, context.signal);
  }

  @Answers(reconnectServer)
  async reconnect(
    { tenant, server }: AskOf<typeof reconnectServer>,
    context: AskContext,
  ): Promise<AnswerOf<typeof reconnectServer>> {
    if (this.fleet.stopping) return { kind: 'stopping' };
    const link = this.fleet.find(tenant, server);
    if (link === undefined) return { kind: 'not_owner' };
    return { kind: 'reconnected', report: await link.reconnect(context.signal) };
  }
}
