import { formatProblems, loadConfig, type Environment, type LoadedConfig } from '@uar/config';
import { sweepOrphans } from '@uar/sandbox';
import { removeEndpoints, writeEndpoints, type Endpoints } from '../client/endpoints-file.js';
import { warn } from '../commands/config.js';
import { exit, type ExitCode, type World } from '../world.js';
import { banner } from './banner.js';
import { chooseBus, type BusChoice } from './bus/bus-choice.js';
import { takeLauncherLock } from './launcher-lock.js';
import type { Plane } from './plane.js';
import { portProblems, type WantedPort } from './ports.js';
import { prepareDataFolder, removeRunFolder } from './prepare.js';
import { proxyPlan, startDevProxy, type DevProxy, type ProxyPlan } from './processes/proxy.js';
import { settledProblems, startServiceProcesses } from './processes/service-processes.js';
import { catchStopSignals, type StopSignals } from './stop-signals.js';

export interface UpOptions {
  /** Environment variables that flags stand for; they win over the real ones, here and in the services. */
  readonly flags: Environment;
  readonly proxy: boolean;
  readonly json: boolean;
}

type RealBus = Exclude<BusChoice, { kind: 'refused' }>;

interface Launch {
  readonly world: World;
  readonly options: UpOptions;
  readonly env: Environment;
  readonly loaded: LoadedConfig;
  readonly bus: RealBus;
  readonly proxy: ProxyPlan | undefined;
  /** Why there is no proxy. */
  readonly note: string | undefined;
  say(line: string): void;
}

const readyLimitMs = 30_000;

/** Starts everything, waits for a signal, stops everything. The configuration is checked before any process starts. */
export async function up(world: World, options: UpOptions): Promise<ExitCode> {
  const env = { ...world.env, ...options.flags };
  const loaded = loadConfig({ env, cwd: world.cwd, whole: true });
  const bus = chooseBus(env);
  const plan = proxyPlan(env, loaded, options.proxy);
  const problems = [
    ...(loaded.kind === 'bad' ? loaded.problems : []),
    ...(bus.kind === 'refused' ? [{ path: 'UAR_BUS', message: bus.message }] : []),
    ...(plan.kind === 'bad' ? plan.problems : []),
    ...fullNeedsNats(loaded, bus),
  ];
  if (loaded.kind === 'bad' || bus.kind === 'refused' || plan.kind === 'bad' || problems.length > 0) {
    world.err(`cannot start:\n${formatProblems(problems)}\n`);
    return exit.usage;
  }
  warn(world, loaded);
  const say = (line: string) => (options.json ? world.err : world.out)(`${line}\n`);
  return await onOwnFolder({ world, options, env, loaded, bus, proxy: plan.proxy, note: plan.note, say });
}

function fullNeedsNats(loaded: ReturnType<typeof loadConfig>, bus: BusChoice) {
  if (loaded.kind === 'bad' || loaded.config.profile !== 'server-full' || bus.kind !== 'inprocess') return [];
  return [{ path: 'UAR_BUS', message: `profile server-full runs on NATS, and here ${bus.because}` }];
}

async function onOwnFolder(launch: Launch): Promise<ExitCode> {
  const { config } = launch.loaded;
  prepareDataFolder(config);
  const lock = takeLauncherLock(config.data_dir);
  if (lock.kind === 'held') {
    launch.world.err(
      `${config.data_dir} is in use by the launcher with pid ${lock.pid}; stop it or choose another folder (UAR_DATA_DIR)\n`,
    );
    return exit.failed;
  }
  const signals = catchStopSignals(() => process.exit(130));
  try {
    const taken = await portProblems(wantedPorts(launch));
    if (taken.length > 0) {
      launch.world.err(`cannot start:\n${taken.map((line) => `  ${line}\n`).join('')}`);
      return exit.failed;
    }
    await sweepOrphans(config.data_dir);
    removeRunFolder(config.data_dir);
    return await run(launch, signals);
  } catch (error) {
    launch.world.err(`cannot start: ${error instanceof Error ? error.message : String(error)}\n`);
    return exit.failed;
  } finally {
    removeEndpoints(config.data_dir, process.pid);
    lock.release();
    signals.release();
  }
}

function wantedPorts({ loaded, proxy }: Launch): WantedPort[] {
  const { host, port, management_host, management_port } = loaded.config.server;
  const wanted = [
    { name: 'gateway', host, port, variable: 'UAR_PORT' },
    {
      name: 'management listener',
      host: management_host,
      port: management_port,
      variable: 'UAR_MANAGEMENT_PORT',
    },
  ];
  if (proxy !== undefined) wanted.push({ name: 'dev proxy', ...proxy.listen, variable: 'UAR_PROXY_LISTEN' });
  return wanted;
}

async function run(launch: Launch, signals: StopSignals): Promise<ExitCode> {
  const { loaded, say } = launch;
  const { profile, data_dir, server } = loaded.config;
  say(`profile ${profile}, configuration ${loaded.file ?? 'by default'}, data in ${data_dir}`);
  say(busLine(launch.bus));
  if (launch.note !== undefined) say(launch.note);
  const plane = await startPlane(launch);
  let proxy: DevProxy | undefined;
  try {
    if (signals.wasAsked() === undefined) proxy = await startProxyFor(launch, plane);
    const left = await Promise.race([settledProblems(plane, Date.now() + readyLimitMs), signals.asked]);
    if (typeof left !== 'string') {
      for (const problem of left) say(`not ready: ${problem}`);
      announce(launch, plane, proxy);
    }
    await signals.asked;
  } finally {
    removeEndpoints(data_dir, process.pid);
    say(`stopping (${signals.wasAsked() ?? 'the start failed'})`);
    const late = await stop(plane, proxy, server.shutdown_grace_seconds);
    for (const name of late) say(`${name} did not end in time and was killed`);
  }
  return exit.ok;
}

function busLine(bus: RealBus): string {
  switch (bus.kind) {
    case 'inprocess':
      return `one process, in-process bus (${bus.because})`;
    case 'url':
      return `one process per service, NATS at ${new URL(bus.url).host}`;
    case 'child':
      return `one process per service, NATS by ${bus.binary}`;
  }
}

async function startPlane({ loaded, env, bus, say }: Launch): Promise<Plane> {
  if (bus.kind !== 'inprocess') return await startServiceProcesses({ loaded, env, bus, say });
  const { startInOneProcess } = await import('./one-process.js');
  return await startInOneProcess({ config: loaded.config });
}

async function startProxyFor(launch: Launch, plane: Plane): Promise<DevProxy | undefined> {
  if (launch.proxy === undefined) return undefined;
  return await startDevProxy({ ...launch, plan: launch.proxy, gateway: plane.gateway });
}

function announce(launch: Launch, plane: Plane, proxy: DevProxy | undefined): void {
  const { loaded, options, world } = launch;
  const endpoints: Endpoints = {
    gateway: plane.gateway,
    ...(proxy === undefined ? {} : { proxy: proxy.url }),
    management: plane.management,
    pid: process.pid,
  };
  writeEndpoints(loaded.config.data_dir, endpoints);
  world.out(options.json ? `${JSON.stringify(endpoints)}\n` : banner(loaded.config, endpoints));
}

async function stop(
  plane: Plane,
  proxy: DevProxy | undefined,
  graceSeconds: number,
): Promise<readonly string[]> {
  const deadlineAt = Date.now() + graceSeconds * 1000;
  // The proxy ends last: who waits behind it still hears how its call ended.
  const late = await plane.stop(deadlineAt);
  await proxy?.stop(deadlineAt);
  return late;
}
