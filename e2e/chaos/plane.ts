import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { repositoryDir, startProduct, type Product } from '@uar/testkit';
import { clientAt, eventually, toolListed, type Client } from '../client.js';
import { processesNaming } from '../processes.js';
import type { Door } from './history.js';

/** A plane with one process per service on NATS, and a second gateway and a second decider beside the launcher's. */
export interface Plane {
  readonly product: Product;
  readonly doors: Readonly<Record<Door, string>>;
  /** What can be killed or stopped, by name. */
  targets(): readonly Target[];
  stop(): Promise<void>;
}

export interface Target {
  readonly service: string;
  readonly pid: number;
}

export interface PlaneOptions {
  readonly journal: string;
  /** Root of the build to run. */
  readonly root?: string;
}

const services = ['approval-service', 'catalog-registry', 'governance-decider', 'mcp-connector', 'gateway'];

export async function startPlane({ journal, root = repositoryDir }: PlaneOptions): Promise<Plane> {
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
    config: { approvals, mcp: { servers: { chaos: upstream } } },
    env: { UAR_LOG_LEVEL: 'error' },
  });
  const gateway = new Replica(product, root, 'gateway');
  const decider = new Replica(product, root, 'governance-decider');
  await Promise.all([gateway.start(), decider.start()]);
  const doors = { A: product.gateway, B: gateway.url };
  await Promise.all(
    Object.values(doors).map((url) => toolListed(clientAt(url, product.token()), 'chaos__write')),
  );
  return {
    product,
    doors,
    targets: () => targetsOf(product, [gateway, decider]),
    stop: async () => {
      await Promise.all([gateway.stop(), decider.stop()]);
      await product.stop();
    },
  };
}

function targetsOf(product: Product, replicas: readonly Replica[]): Target[] {
  return processesNaming(product.dataDir).flatMap(({ pid, command }): Target[] => {
    if (command.includes('nats-server')) return [{ service: 'nats-server', pid }];
    if (command.includes('e2e/chaos/upstream.mjs')) return [{ service: 'upstream', pid }];
    const service = services.find((name) => command.includes(`apps/${name}/dist/main.js`));
    if (service === undefined) return [];
    const isReplica = replicas.some((replica) => replica.pid === pid);
    if (service === 'gateway') return [{ service: isReplica ? 'gateway B' : 'gateway A', pid }];
    return [{ service: isReplica ? `${service} 2` : service, pid }];
  });
}

/** One more process of a service, with the credentials and the configuration of the launcher's, and kept running. */
class Replica {
  url = '';
  private child: ChildProcess | undefined;
  private stopping = false;
  private readonly credentials: Readonly<Record<string, string>>;

  constructor(
    private readonly product: Product,
    private readonly root: string,
    private readonly service: string,
  ) {
    const own = processesNaming(product.dataDir).find(({ command }) =>
      command.includes(`apps/${service}/dist/main.js`),
    );
    if (own === undefined) throw new Error(`the launcher runs no ${service}`);
    const names = ['NATS_URL', 'UAR_NATS_USER', 'UAR_NATS_PASSWORD_FILE', 'UAR_CONFIG', 'UAR_DATA_DIR'];
    const entries = own.environment.split('\0').map((line): [string, string] => {
      const at = line.indexOf('=');
      return [line.slice(0, at), line.slice(at + 1)];
    });
    this.credentials = Object.fromEntries(entries.filter(([name]) => names.includes(name)));
  }

  get pid(): number | undefined {
    return this.child?.pid;
  }

  /** Resolves once it is ready. */
  async start(): Promise<void> {
    const main = join(this.root, `apps/${this.service}/dist/main.js`);
    const port = this.url === '' ? '0' : new URL(this.url).port;
    const child = spawn(process.execPath, ['--no-turbo-inline-js-wasm-calls', main], {
      env: {
        PATH: process.env['PATH'],
        ...this.credentials,
        UAR_PORT: port,
        UAR_MANAGEMENT_PORT: '0',
        UAR_LOG_LEVEL: 'error',
      },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.child = child;
    void once(child, 'exit').then(() => setTimeout(() => this.again(), 500));
    await new Promise<void>((resolve, reject) => {
      child.once('message', (message: { endpoints?: { gateway: string } }) => {
        this.url = message.endpoints?.gateway ?? this.url;
        resolve();
      });
      child.once('exit', (code) => reject(new Error(`${this.service} ended with ${String(code)}`)));
    });
  }

  async stop(): Promise<void> {
    this.stopping = true;
    const { child } = this;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await exited;
  }

  private again(): void {
    // One that is killed before it is ready is started again by its own exit.
    if (!this.stopping) void this.start().catch(() => undefined);
  }
}

/** Everybody answers again. */
export async function recovered(plane: Plane, client: (door: Door) => Client): Promise<void> {
  for (const { pid } of plane.targets()) process.kill(pid, 'SIGCONT');
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
