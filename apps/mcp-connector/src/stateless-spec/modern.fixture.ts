import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHub, type Hub } from '@uar/bus';
import type { ServerConfig } from '@uar/contracts';
import { createLog } from '@uar/telemetry';
import { ModernUpstream, modernStdio, type ModernServer } from '@uar/testkit';
import type { z } from 'zod';
import { World, type Servers } from '../connector.fixture.js';
import { Gateway } from '../contract-spec/gateway.fixture.js';

const log = createLog({ service: 'test', level: 'silent' });

export type Over = 'http' | 'stdio';

/** A connector with servers of the official SDK that speak MCP 2026-07-28, and a gateway whose clients it asks. */
export class ModernWorld {
  readonly folder = mkdtempSync(join(tmpdir(), 'uar-modern-'));
  readonly countFile = join(this.folder, 'count');
  private readonly hub: Hub = createHub();
  private upstream: ModernUpstream | undefined;
  world!: World;
  gateway!: Gateway;

  /** Servers `own` (`per_principal`) and `shared`. */
  static async start(over: Over, server: ModernServer = {}): Promise<ModernWorld> {
    const modern = new ModernWorld();
    const options = { countFile: modern.countFile, ...server };
    if (over === 'http') modern.upstream = await ModernUpstream.start(options);
    const config: z.input<typeof ServerConfig> =
      over === 'stdio' ? modernStdio(options) : { transport: 'http', url: modern.upstream?.url };
    await modern.connect({ own: { ...config, placement: 'per_principal' }, shared: config });
    await Promise.all(['own', 'shared'].map((name) => modern.world.untilReady(name)));
    return modern;
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
