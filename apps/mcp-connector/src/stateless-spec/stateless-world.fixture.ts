import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHub, type Hub } from '@uar/bus';
import type { ServerConfig } from '@uar/contracts';
import { createLog } from '@uar/telemetry';
import { StatelessServer, statelessStdio, type StatelessServerOptions } from '@uar/testkit';
import type { z } from 'zod';
import { World, type Servers } from '../connector.fixture.js';
import { Gateway } from '../contract-spec/gateway.fixture.js';

const log = createLog({ service: 'test', level: 'silent' });

export type Over = 'http' | 'stdio';

/** A connector with servers of the official SDK that speak MCP 2026-07-28, and a gateway whose clients it asks. */
export class StatelessWorld {
  readonly folder = mkdtempSync(join(tmpdir(), 'uar-stateless-'));
  readonly countFile = join(this.folder, 'count');
  private readonly hub: Hub = createHub();
  private upstream: StatelessServer | undefined;
  world!: World;
  gateway!: Gateway;

  /** Servers `own` (`per_principal`) and `shared`. */
  static async start(over: Over, server: StatelessServerOptions = {}): Promise<StatelessWorld> {
    const stateless = new StatelessWorld();
    const options = { countFile: stateless.countFile, ...server };
    if (over === 'http') stateless.upstream = await StatelessServer.start(options);
    const config: z.input<typeof ServerConfig> =
      over === 'stdio' ? statelessStdio(options) : { transport: 'http', url: stateless.upstream?.url };
    await stateless.connect({ own: { ...config, placement: 'per_principal' }, shared: config });
    await Promise.all(['own', 'shared'].map((name) => stateless.world.untilReady(name)));
    return stateless;
  }

  private async connect(servers: Servers): Promise<void> {
    const connect: Parameters<typeof World.start>[0] = (service) =>
      Promise.resolve(this.hub.connect({ service, log }));
    this.world = await World.start(connect, servers);
    this.gateway = await Gateway.start(await connect('gateway'));
  }

  /** What ran, in its order. */
  get ran(): string[] {
    try {
      return readFileSync(this.countFile, 'utf8').trim().split('\n');
    } catch {
      return [];
    }
  }

  async stop(): Promise<void> {
    await this.world.stop();
    await this.hub.close();
    await this.upstream?.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
