import { hash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { launch, type Child } from '@uar/sandbox';
import type { ExpandedServer } from '../../domain/upstream.js';
import { StdioWire } from '../stateless/stdio-wire.js';
import { StdioTransport } from '../stdio-transport.js';
import type { Prepared, Unprepared, UpstreamWorld } from './prepared.js';

export async function prepareChild(
  server: ExpandedServer,
  world: UpstreamWorld,
  principal: string | undefined,
): Promise<Prepared | Unprepared> {
  const { tenant, name, config } = server;
  const mode = config.sandbox.mode ?? world.defaultSandbox;
  if (mode === 'required') return problem('sandbox.mode required cannot be kept by this host');
  const home = join(world.dataDir, 'homes', homeName(`${tenant}/${name}`, principal));
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const launched = await launch({
    command: config.command ?? '',
    args: config.args,
    ...(config.cwd === undefined ? {} : { cwd: config.cwd }),
    environment: { ambient: world.environment, home, configured: config.env },
    owner: world.dataDir,
  });
  if (launched.kind === 'failed') return problem(launched.message);
  const { child } = launched;
  const { maxFrameBytes, stopGraceMs, onFault } = world;
  const wire = new StdioWire(new StdioTransport({ child, maxFrameBytes, stopGraceMs, onFault }));
  return {
    ...{ kind: 'prepared', isHttp: false, wire },
    sessions: () => {
      const transport = wire.handOver();
      return { transport, own: () => transport.own() };
    },
    explainLoss: async () => exitWords(await child.exited),
    hint: () => lastStderrLine(child),
    again: async () => {
      await wire.close();
      return await prepareChild(server, world, principal);
    },
  };
}

function problem(message: string): Unprepared {
  return { kind: 'problem', message };
}

/** Of a folder: the same at each start. */
function homeName(server: string, principal: string | undefined): string {
  if (principal === undefined) return hash('sha256', server, 'hex').slice(0, 16);
  return hash('sha256', `${server}/${principal}`, 'hex').slice(0, 32);
}

function exitWords({ code, signal }: Awaited<Child['exited']>): string {
  return signal === null ? `the process exited (code ${code})` : `the process was ended (${signal})`;
}

/** Only before the first call: later its stderr may hold arguments and results, which no report may show. */
function lastStderrLine(child: Child): string {
  const line = child.stderrTail().trimEnd().split('\n').at(-1)?.trim() ?? '';
  return line === '' ? '' : `; stderr ends: ${line.slice(-300)}`;
}
