import { join } from 'node:path';
import {
  processesNaming,
  repositoryDir,
  startProduct,
  startPostgres,
  startReplica,
  type PostgresServer,
  type Product,
  type Replica,
} from '@uar/testkit';
import { clientAt, eventually, toolListed, type Client } from '../client.js';
import { pause } from './chance.js';
import type { Door } from './history.js';

/**
 * A plane with one process per service on NATS, and a second gateway and a second decider beside the launcher's; on PostgreSQL
 * a second approval-service too.
 */
export interface Plane {
  readonly product: Product;
  readonly doors: Readonly<Record<Door, string>>;
  /** What can be killed or stopped, by name. */
  targets(): readonly Target[];
  stop(): Promise<void>;
}

export interface Target {
  readonly service: string;
  /** Somebody starts it again. */
  kill(): Promise<void> | void;
  stop(): void;
  /** Ends a stop, where there is one. */
  goOn(): void;
}

export interface PlaneOptions {
  readonly journal: string;
  /** Root of the build to run. */
  readonly root?: string;
  readonly ledger?: 'sqlite' | 'postgres';
}

const services = ['approval-service', 'catalog-registry', 'governance-decider', 'mcp-connector', 'gateway'];

export async function startPlane({
  journal,
  root = repositoryDir,
  ledger = 'sqlite',
}: PlaneOptions): Promise<Plane> {
  const postgres = ledger === 'postgres' ? await startPostgres() : undefined;
  const upstream = {
    transport: 'stdio',
    command: process.execPath,
    args: [join(repositoryDir, 'e2e/chaos/upstream.mjs')],
    env: { JOURNAL: journal },
    trust_annotations: true,
    concurrency: 32,
    timeout_ms: 4_000,
  };
  const approvals = { timeout_seconds: 20, max_pending: 200, max_new_per_minute: 100_000 };
  const product = await startProduct({
    bus: 'nats',
    root,
    ...(postgres && { ledger: await postgres.createDatabase() }),
    config: { approvals, mcp: { servers: { chaos: upstream } } },
    env: { UAR_LOG_LEVEL: ledger === 'postgres' ? 'silent' : 'error' },
  });
  const gateway = new KeptReplica(product, root, 'gateway');
  const replicas = [gateway, new KeptReplica(product, root, 'governance-decider')];
  if (postgres) replicas.push(new KeptReplica(product, root, 'approval-service'));
  await Promise.all(replicas.map((replica) => replica.start()));
  const doors = { A: product.gateway, B: gateway.url };
  await Promise.all(
    Object.values(doors).map((url) => toolListed(clientAt(url, product.token()), 'chaos__write')),
  );
  return {
    product,
    doors,
    targets: () => [...processesOf(product, replicas), ...(postgres ? [databaseServer(postgres)] : [])],
    stop: async () => {
      await Promise.all(replicas.map((replica) => replica.stop()));
      await product.stop();
      await postgres?.stop();
    },
  };
}

function processesOf(product: Product, replicas: readonly KeptReplica[]): Target[] {
  return processesNaming(product.dataDir).flatMap(({ pid, command }): Target[] => {
    if (command.includes('nats-server')) return [processTarget('nats-server', pid)];
    if (command.includes('e2e/chaos/upstream.mjs')) return [processTarget('upstream', pid)];
    const service = services.find((name) => command.includes(`apps/${name}/dist/main.js`));
    if (service === undefined) return [];
    const isReplica = replicas.some((replica) => replica.pid === pid);
    if (service === 'gateway') return [processTarget(isReplica ? 'gateway B' : 'gateway A', pid)];
    return [processTarget(isReplica ? `${service} 2` : service, pid)];
  });
}

function processTarget(service: string, pid: number): Target {
  const send = (name: NodeJS.Signals) => (): void => {
    try {
      process.kill(pid, name);
    } catch {
      // It ended by itself meanwhile.
    }
  };
  return { service, kill: send('SIGKILL'), stop: send('SIGSTOP'), goOn: send('SIGCONT') };
}

const downMs = 500;

function databaseServer(server: PostgresServer): Target {
  const kill = async (): Promise<void> => {
    await server.kill();
    await pause(downMs);
    await server.restart();
  };
  return { service: 'postgres', kill, stop: () => server.freeze(), goOn: () => server.thaw() };
}

/** A second process of a service that is kept running, a gateway on its port. */
class KeptReplica {
  url = '';
  private replica: Replica | undefined;
  private stopping = false;

  constructor(
    private readonly product: Product,
    private readonly root: string,
    private readonly service: 'gateway' | 'governance-decider' | 'approval-service',
  ) {}

  get pid(): number | undefined {
    return this.replica?.pid;
  }

  /** Resolves once it is ready. */
  async start(): Promise<void> {
    const port = this.url === '' ? 0 : Number(new URL(this.url).port);
    const replica = await startReplica(this.product, this.service, { root: this.root, port });
    this.replica = replica;
    this.url = replica.gateway ?? '';
    void replica.exited.then(() => this.startLater());
  }

  async stop(): Promise<void> {
    this.stopping = true;
    await this.replica?.stop();
  }

  /** Killed before it was ready, or started when the launcher's own was down: tried again. */
  private startLater(): void {
    setTimeout(() => {
      if (!this.stopping) this.start().catch(() => this.startLater());
    }, 500);
  }
}

/** Everybody answers again. */
export async function recovered(plane: Plane, client: (door: Door) => Client): Promise<void> {
  for (const target of plane.targets()) target.goOn();
  for (const door of ['A', 'B'] as const)
    await eventually(async () => {
      const looks = ['/api/tools/chaos__write', '/api/uar/receipts?limit=1'];
      const answers = await Promise.all(
        looks.map((path) =>
          client(door)
            .get(path)
            .catch(() => undefined),
        ),
      );
      const isThere = answers.every((answer) => answer?.status === 200);
      return isThere && String(answers[0]?.body['state']) === 'available' ? true : undefined;
    }, 60_000);
}
