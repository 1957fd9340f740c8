import { formatProblems, processEnvironment } from '@uar/config';
import { openService, type OpenService } from './open-service.js';
import type { ServiceDefinition } from './service.js';

const exitCodes = { ok: 0, failed: 1, badConfig: 2 } as const;
/** Room beyond the grace for what has no grace of its own. */
const stopSlackMs = 2_000;

/**
 * The whole of a service's main.ts: configuration and NATS from the environment, start, and an orderly end on SIGTERM,
 * SIGINT or the end of the launcher that holds its IPC channel. Started, it logs `ready` and sends `{ kind: 'ready' }`,
 * the gateway with its `endpoints`.
 */
export async function runService(definition: ServiceDefinition): Promise<void> {
  const opened = await openService({ definition, env: processEnvironment(), cwd: process.cwd() }).catch(
    (error: unknown) => failed(definition, error),
  );
  if (opened.kind === 'bad') {
    process.stderr.write(`${definition.name}: bad configuration\n${formatProblems(opened.problems)}\n`);
    process.exit(exitCodes.badConfig);
  }
  endOnSignals(opened);
  opened.log.info({ probe_port: opened.probePort }, 'ready');
  process.send?.({ kind: 'ready', endpoints: opened.service.endpoints?.() });
}

function failed(definition: ServiceDefinition, error: unknown): never {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`${definition.name}: could not start\n${text}\n`);
  process.exit(exitCodes.failed);
}

function endOnSignals({ log, graceMs, stop }: OpenService): void {
  let stopping = false;
  const end = (cause: string): void => {
    if (stopping) return;
    stopping = true;
    log.info({ cause }, 'stopping');
    const overdue = setTimeout(() => {
      log.error({ grace_ms: graceMs }, 'did not stop in time');
      process.exit(exitCodes.failed);
    }, graceMs + stopSlackMs);
    stop().then(
      () => {
        clearTimeout(overdue);
        log.info({}, 'stopped');
        process.exit(exitCodes.ok);
      },
      (err: unknown) => {
        log.error({ err }, 'stopping failed');
        process.exit(exitCodes.failed);
      },
    );
  };
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
  process.once('disconnect', () => end('the launcher is gone'));
}
