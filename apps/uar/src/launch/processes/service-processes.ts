import { setTimeout as delay } from 'node:timers/promises';
import type { Environment, LoadedConfig } from '@uar/config';
import type { ServiceName } from '@uar/contracts';
import type { Endpoints } from '@uar/service';
import { z } from 'zod';
import { createGatewayClient } from '../../client/gateway-client.js';
import type { BusChoice } from '../bus/bus-choice.js';
import { startNats, type NatsChild } from '../bus/nats-child.js';
import { startRows, type Plane } from '../plane.js';
import { mainOf, nodeFlags, wholeEnvironment } from './service-environment.js';
import { SupervisedProcess } from './supervised-process.js';

export interface ServiceProcesses {
  readonly loaded: LoadedConfig;
  readonly env: Environment;
  readonly bus: Extract<BusChoice, { kind: 'url' | 'child' }>;
  readonly say: (line: string) => void;
}

const Ready = z.object({
  kind: z.literal('ready'),
  endpoints: z.object({ gateway: z.url(), management: z.url() }).optional(),
});

/** One process per service, on NATS. Rejects when one does not start; the others are stopped then. */
export async function startServiceProcesses(options: ServiceProcesses): Promise<Plane> {
  const { bus, loaded, say } = options;
  const dataDir = loaded.config.data_dir;
  const nats = bus.kind === 'child' ? await startNats({ binary: bus.binary, dataDir, say }) : undefined;
  const group = new ProcessGroup(options, nats);
  try {
    await group.start();
    const { gateway, management } = group.listeners();
    const problems = () => readyProblems(management);
    return { gateway, management, problems, stop: (deadlineAt) => group.stop(deadlineAt) };
  } catch (error) {
    await group.stop(Date.now() + 5_000);
    throw error;
  }
}

class ProcessGroup {
  readonly #rows: SupervisedProcess[][];
  #listeners: Endpoints | undefined;

  constructor(
    private readonly options: ServiceProcesses,
    private readonly nats: NatsChild | undefined,
  ) {
    this.#rows = startRows.map((row) => row.map((name) => this.#supervise(name)));
  }

  /** All at once: services wait for each other over the bus. */
  async start(): Promise<void> {
    const starts = await Promise.allSettled(this.#rows.flat().map((process) => process.start()));
    for (const settled of starts) if (settled.status === 'rejected') throw settled.reason;
  }

  listeners(): Endpoints {
    if (this.#listeners === undefined) throw new Error('the gateway does not say where it listens');
    return this.#listeners;
  }

  async stop(deadlineAt: number): Promise<readonly string[]> {
    const killed: string[] = [];
    const left = () => Math.max(0, deadlineAt - Date.now());
    for (const row of [...this.#rows].reverse())
      await Promise.all(
        row.map(async (process) => {
          if (!(await process.stop(left()))) killed.push(process.name);
        }),
      );
    await this.nats?.stop(Math.max(1_000, left()));
    return killed;
  }

  #supervise(name: ServiceName): SupervisedProcess {
    const supervised = new SupervisedProcess({
      name,
      command: process.execPath,
      args: [...nodeFlags, mainOf(name)],
      env: () => this.#envOf(name),
      owner: this.options.loaded.config.data_dir,
      onMessage: (message) => {
        const ready = Ready.safeParse(message);
        if (!ready.success) return;
        this.#listeners = ready.data.endpoints ?? this.#listeners;
        supervised.markReady();
      },
      say: this.options.say,
    });
    return supervised;
  }

  #envOf(name: ServiceName): Record<string, string> {
    return {
      ...wholeEnvironment(this.options),
      ...(name === 'gateway' ? portsOf(this.#listeners) : {}),
      ...this.#credentials(name),
    };
  }

  #credentials(name: ServiceName): Record<string, string> {
    const { bus } = this.options;
    if (bus.kind === 'url') return { NATS_URL: bus.url };
    if (this.nats === undefined) throw new Error('there is no nats-server');
    return {
      NATS_URL: this.nats.url,
      UAR_NATS_USER: name,
      UAR_NATS_PASSWORD_FILE: this.nats.passwordFile(name),
    };
  }
}

/** A gateway that is started again keeps the ports that the first one took. */
function portsOf(listeners: Endpoints | undefined): Record<string, string> {
  if (listeners === undefined) return {};
  return { UAR_PORT: portOf(listeners.gateway), UAR_MANAGEMENT_PORT: portOf(listeners.management) };
}

function portOf(url: string): string {
  const { port, protocol } = new URL(url);
  return port === '' ? (protocol === 'https:' ? '443' : '80') : port;
}

async function readyProblems(management: string): Promise<readonly string[]> {
  const client = createGatewayClient({ url: management });
  const reply = await client.send({ method: 'GET', path: '/readyz' });
  if (reply.kind === 'unreachable') return [`${management} cannot be reached (${reply.message})`];
  return reply.status === 200 ? [] : [`the gateway says: ${reply.text.slice(0, 500)}`];
}

/** Polls `problems` until there are none, or the time is over; answers what is left. */
export async function settledProblems(plane: Plane, deadlineAt: number): Promise<readonly string[]> {
  for (;;) {
    const problems = await plane.problems();
    if (problems.length === 0 || Date.now() > deadlineAt) return problems;
    await delay(50);
  }
}
