import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bus } from '@uar/bus';
import { definitionDigest } from '@uar/catalog';
import type { UarConfig } from '@uar/config';
import {
  ServerConfig,
  callProgressed,
  hostBeat,
  hosts,
  readWantedServers,
  serversChanged,
  type AnswerOf,
  type AskOf,
  type BodyOf,
  type HostAnswer,
  type ServerReport,
  type WantedServer,
} from '@uar/contracts';
import { argumentsDigest, memberText } from '@uar/json-text';
import type { RunningService } from '@uar/service';
import { createLog } from '@uar/telemetry';
import { testConfig, type ConnectBus } from '@uar/testkit';
import type { z } from 'zod';
import { Grants, tenant } from './grants.fixture.js';
import { service } from './module.js';

export { tenant } from './grants.fixture.js';

export type RunAsk = AskOf<typeof hosts.mcp.run>;
export type Servers = Readonly<Record<string, z.input<typeof ServerConfig>>>;

const scriptedServer = join(import.meta.dirname, '..', 'test', 'scripted-server.mjs');

/** A server of ours that behaves as `behaviour` says (test/scripted-server.mjs). */
export function scripted(
  behaviour: object = {},
  more: Partial<z.input<typeof ServerConfig>> = {},
): z.input<typeof ServerConfig> {
  return {
    transport: 'stdio',
    command: process.execPath,
    args: [scriptedServer, JSON.stringify(behaviour)],
    ...more,
  };
}

export type CallOptions = Partial<RunAsk> & { readonly args?: object | string; readonly principal?: string };
export type ToolListing = Extract<AnswerOf<typeof hosts.mcp.listTools>, { kind: 'listed' }>;

/** A connector on the bus under test, with a registry that names its servers and a gateway that may call them. */
export class World {
  readonly folder = mkdtempSync(join(tmpdir(), 'uar-connector-'));
  readonly beats: BodyOf<typeof hostBeat>[] = [];
  private wanted: WantedServer[] = [];
  private readonly begun = new Map<string, () => void>();
  private readonly watchers = new Set<() => void>();

  private running: RunningService | undefined;
  readonly grants: Grants;

  private constructor(
    readonly gateway: Bus,
    readonly registry: Bus,
    readonly host: Bus,
  ) {
    this.grants = new Grants(this.folder, host.instance);
  }

  static async start(
    connect: ConnectBus,
    servers: Servers,
    config: z.input<typeof UarConfig> = {},
  ): Promise<World> {
    const buses = await Promise.all([
      connect('gateway'),
      connect('catalog-registry'),
      connect('mcp-connector'),
    ]);
    const world = new World(...buses);
    world.setWanted(servers);
    await world.listen();
    const log = createLog({ service: 'test', level: 'silent' });
    world.running = await service.start({
      config: testConfig({
        data_dir: world.folder,
        mcp: { allowed_private_networks: ['127.0.0.0/8', '::1/128'] },
        ...config,
        keys: { grant_public_file: join(world.folder, 'grant.pub'), ...config.keys },
      }),
      bus: world.host,
      log,
    });
    return world;
  }

  /** Ends the service alone: the buses stay, to see what is said of it. */
  async stopService(): Promise<void> {
    await this.running?.stop();
  }

  async stop(): Promise<void> {
    await this.running?.stop();
    await Promise.all([this.gateway.close(), this.registry.close(), this.host.close()]);
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** What the registry wants from now on. */
  want(servers: Servers): void {
    this.setWanted(servers);
    this.registry.announce(serversChanged, { tenant, name: 'any', revision: 1 });
  }

  report(server: string): ServerReport | undefined {
    return this.beats.at(-1)?.servers.find((report) => report.server === server);
  }

  /** What was reported of the server since its first connection. */
  reports(server: string): ServerReport[] {
    const all = this.beats.flatMap(({ servers }) => servers.filter((report) => report.server === server));
    return all.filter(({ epoch }) => epoch > 0);
  }

  /** The first report of the server, from now on, that fits. */
  async until(server: string, fits: (report: ServerReport) => boolean): Promise<ServerReport> {
    for (;;) {
      const report = this.report(server);
      if (report !== undefined && fits(report)) return report;
      await new Promise<void>((resolve) => this.watchers.add(resolve));
    }
  }

  async untilReady(server: string): Promise<ServerReport> {
    return await this.until(server, ({ status }) => status === 'ready');
  }

  list(server: string): Promise<ToolListing> {
    return this.page(server);
  }

  async page(server: string, from?: AskOf<typeof hosts.mcp.listTools>['from']): Promise<ToolListing> {
    const ask = { tenant, server, ...(from === undefined ? {} : { from }) };
    const reply = await this.registry.ask(hosts.mcp.listTools, ask, { to: this.host.instance });
    if (reply.kind === 'fault' || reply.value.kind !== 'listed') throw new Error(JSON.stringify(reply));
    return reply.value;
  }

  /** A granted call of a tool as it is listed; what else is given changes the ask behind the grant's back. */
  async ask(server: string, rawName: string, call: CallOptions = {}): Promise<RunAsk> {
    const listed = (await this.list(server)).definitions;
    const definition = listed.find((text) => memberText(text, 'name') === JSON.stringify(rawName));
    if (definition === undefined) throw new Error(`${server} does not list ${rawName}`);
    return this.signed(server, rawName, { definition_digest: definitionDigest(definition), ...call });
  }

  signed(server: string, rawName: string, call: CallOptions & { definition_digest: string }): RunAsk {
    const { args = {}, principal, ...more } = call;
    const text = typeof args === 'string' ? args : JSON.stringify(args);
    const granted = this.grants.of({
      ...{ method: 'tools/call', server, raw_name: rawName, arguments_digest: argumentsDigest(text) },
      definition_digest: call.definition_digest,
      ...(principal === undefined ? {} : { principal }),
    });
    return {
      ...granted,
      tenant,
      server,
      raw_name: rawName,
      arguments_json: text,
      timeout_ms: 20_000,
      max_result_bytes: 8 * 1024 * 1024,
      wants_progress: false,
      ...more,
    };
  }

  async send(ask: RunAsk): Promise<HostAnswer> {
    const reply = await this.gateway.ask(hosts.mcp.run, ask, { to: this.host.instance });
    if (reply.kind === 'fault') throw new Error(JSON.stringify(reply));
    return reply.value;
  }

  async run(server: string, rawName: string, call: CallOptions = {}): Promise<HostAnswer> {
    return await this.send(await this.ask(server, rawName, call));
  }

  /** Sends a call and settles once the tool runs; its tool has to tell so by progress. */
  async begin(ask: RunAsk): Promise<{ answer: Promise<HostAnswer> }> {
    const begun = new Promise<void>((resolve) => this.begun.set(ask.call_id, resolve));
    const answer = this.send({ ...ask, wants_progress: true });
    await begun;
    return { answer };
  }

  /** The text that a tool answered. */
  async textOf(server: string, rawName: string, args: object = {}, call: CallOptions = {}): Promise<string> {
    const answer = await this.run(server, rawName, { ...call, args });
    if (answer.kind !== 'ran') throw new Error(JSON.stringify(answer));
    const text = memberText(answer.result_json, 'content');
    const [content] = JSON.parse(text ?? '[]') as [{ text: string }];
    return content.text;
  }

  async counts(server: string): Promise<{ executions: number; lists: number; waiting: number; pid: number }> {
    return JSON.parse(await this.textOf(server, 'count')) as Awaited<ReturnType<World['counts']>>;
  }

  private setWanted(servers: Servers): void {
    this.wanted = Object.entries(servers).map(([name, config], revision) => ({
      tenant,
      name,
      revision,
      config: ServerConfig.parse(config),
    }));
  }

  private async listen(): Promise<void> {
    this.registry.answer(readWantedServers, () => ({ servers: this.wanted }));
    this.registry.listen(hostBeat, (beat) => {
      if (beat.instance !== this.host.instance) return;
      this.beats.push(beat);
      for (const watcher of this.watchers) watcher();
      this.watchers.clear();
    });
    this.gateway.listen(callProgressed, ({ call_id }) => this.begun.get(call_id)?.());
    await Promise.all([this.registry.flush(), this.gateway.flush()]);
  }
}
