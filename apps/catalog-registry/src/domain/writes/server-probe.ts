import type { AnswerOf, AskOf, ServerHealth, probeServer } from '@uar/contracts';
import type { HostTable } from '../hosts/host-table.js';
import type { Hosts, Journal } from '../ports.js';
import type { Registry } from '../registry.js';
import type { DesiredServer, DesiredServers } from '../servers/desired-servers.js';

type Probed = AnswerOf<typeof probeServer>;

export interface ProbeParts {
  readonly desired: DesiredServers;
  readonly registry: Registry;
  readonly table: HostTable;
  readonly hosts: Hosts;
  readonly journal: Journal;
}

/** Reconnects a server at every host that has it, or tries a connection of its own beside them. */
export class ServerProbe {
  constructor(private readonly parts: ProbeParts) {}

  async probe({ tenant, name, how }: AskOf<typeof probeServer>, signal: AbortSignal): Promise<Probed> {
    const server = this.parts.desired.get(tenant, name);
    if (server === undefined) return { kind: 'not_found', message: `there is no server ${name}` };
    return how === 'test' ? this.test(server, signal) : this.reconnect(server, signal);
  }

  private async test(server: DesiredServer, signal: AbortSignal): Promise<Probed> {
    const { tenant, name, config } = server;
    const tried = await this.parts.hosts.tryServer({ tenant, name, config, connect: true }, signal);
    const health = this.parts.registry.serverHealth(tenant, name);
    switch (tried.kind) {
      case 'connected':
        return probed({
          ...health,
          status: 'ready',
          tool_count: tried.tool_count,
          latency_ms: tried.latency_ms,
        });
      case 'resolved':
        return probed(health);
      case 'placeholder_unresolved':
      case 'connect_failed':
        this.parts.journal.warn({ tenant, server: name, tried }, 'a server test failed');
        return probed({ ...health, status: 'failed', tool_count: 0 });
      case 'unreached':
        return { kind: 'unavailable', message: `the connection could not be tried: ${tried.reason}` };
    }
  }

  private async reconnect({ tenant, name, config }: DesiredServer, signal: AbortSignal): Promise<Probed> {
    if (!config.enabled) return probed(this.parts.registry.serverHealth(tenant, name));
    const instances = this.parts.registry.reporters(tenant, name);
    const ask = (instance: string) => this.parts.hosts.reconnect({ tenant, server: name, instance }, signal);
    const answers = await Promise.all(
      instances.map(async (instance) => ({ instance, answer: await ask(instance) })),
    );
    let reconnected = 0;
    for (const { instance, answer } of answers) {
      if (answer.kind !== 'reconnected') continue;
      this.parts.table.amend(instance, answer.report);
      reconnected += 1;
    }
    if (reconnected === 0) return { kind: 'unavailable', message: 'no host can reconnect this server now' };
    return probed(this.parts.registry.serverHealth(tenant, name));
  }
}

function probed(health: ServerHealth): Probed {
  return { kind: 'probed', health };
}
