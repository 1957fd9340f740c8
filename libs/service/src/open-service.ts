import { connectNats } from '@uar/bus';
import { loadConfig, type Environment, type Problem, type ResolvedConfig } from '@uar/config';
import { createLog, type Log } from '@uar/telemetry';
import { readProcessSettings, type ProcessSettings } from './environment.js';
import { listenForProbes, type ProbeListener } from './probes.js';
import type { RunningService, ServiceDefinition } from './service.js';

export interface OpenService {
  readonly kind: 'open';
  readonly log: Log;
  readonly service: RunningService;
  readonly probePort: number | undefined;
  /** How long `stop` may take, in milliseconds. */
  readonly graceMs: number;
  /** Readiness off, service stopped, probes closed. */
  stop(): Promise<void>;
}

export interface OpenOptions {
  readonly definition: ServiceDefinition;
  readonly env: Environment;
  readonly cwd: string;
}

/** A service must not wait for its NATS server longer than a rolling start takes. */
const natsPatienceMs = 30_000;

/** Everything a service process does but the process itself. Rejects when the service cannot start. */
export async function openService(
  options: OpenOptions,
): Promise<OpenService | { kind: 'bad'; problems: readonly Problem[] }> {
  const { definition, env, cwd } = options;
  const loaded = loadConfig({ env, cwd, service: definition.name });
  const read = readProcessSettings(definition.name, env);
  if (loaded.kind === 'bad' || read.kind === 'bad') {
    const problems = [loaded, read].flatMap((part) => (part.kind === 'bad' ? part.problems : []));
    return { kind: 'bad', problems };
  }
  const log = createLog({ service: definition.name, level: loaded.config.log_level });
  for (const { path, message } of loaded.warnings) log.warn({ path }, message);
  return start({ definition, config: loaded.config, settings: read.settings, log });
}

interface Beginning {
  readonly definition: ServiceDefinition;
  readonly config: ResolvedConfig;
  readonly settings: ProcessSettings;
  readonly log: Log;
}

async function start(beginning: Beginning): Promise<OpenService> {
  const { config, settings, log } = beginning;
  let service: RunningService | undefined;
  const probes = await probesOf(config, settings, () => service);
  try {
    const running = await startOnNats(beginning);
    service = running;
    const stop = async (): Promise<void> => {
      service = undefined;
      await running.stop();
      await probes?.close();
    };
    const graceMs = config.server.shutdown_grace_seconds * 1000;
    return { kind: 'open', log, service: running, probePort: probes?.port, graceMs, stop };
  } catch (error) {
    await probes?.close();
    throw error;
  }
}

async function startOnNats({ definition, config, settings, log }: Beginning): Promise<RunningService> {
  const { natsUrl, natsUser, natsPassword } = settings;
  const bus = await connectNats({
    url: natsUrl,
    service: definition.name,
    ...(natsPassword === undefined ? {} : { user: natsUser, password: natsPassword }),
    log,
    patienceMs: natsPatienceMs,
  });
  try {
    return await definition.start({ config, bus, log });
  } catch (error) {
    await bus.close();
    throw error;
  }
}

async function probesOf(
  config: ResolvedConfig,
  { probePort }: ProcessSettings,
  service: () => RunningService | undefined,
): Promise<ProbeListener | undefined> {
  if (probePort === undefined) return undefined;
  return listenForProbes({ host: config.server.management_host, port: probePort, service });
}
