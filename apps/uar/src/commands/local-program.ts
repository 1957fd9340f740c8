import type { Command } from 'commander';
import type { Environment } from '@uar/config';
import type { ExitCode, World } from '../world.js';
import { checkConfig, showConfig } from './config.js';
import { agentId, jsonOption, listOf, scopeList, tokenLife, wholeNumber } from './option-types.js';

interface UpFlags {
  readonly config?: string;
  readonly profile?: string;
  readonly host?: string;
  readonly port?: number;
  readonly managementPort?: number;
  readonly dataDir?: string;
  readonly logLevel?: string;
  readonly bus?: string;
  readonly proxyListen?: string;
  readonly proxy: boolean;
  readonly json: boolean;
}

interface TokenFlags {
  readonly sub: string;
  readonly name: string;
  readonly roles: readonly string[];
  readonly groups: readonly string[];
  readonly tenant: string;
  readonly agent?: string;
  readonly scopes?: readonly string[];
  readonly ttlSecs: number;
  readonly json: boolean;
}

/** Commands that need no running server. */
export function addLocalCommands(program: Command, world: World, report: (code: ExitCode) => void): void {
  addUp(program, world, report);

  const config = program.command('config').description('Check or print the configuration.');
  for (const [name, description, run] of [
    ['check', 'List everything that is wrong; nothing is started or created.', checkConfig],
    ['print', 'Print the resolved configuration, secrets as ***.', showConfig],
  ] as const)
    config
      .command(name, { isDefault: name === 'print' })
      .description(description)
      .argument('[file]', 'configuration file (UAR_CONFIG)')
      .addOption(jsonOption())
      .action((file: string | undefined, { json }: { json: boolean }) => {
        report(run(world, file === undefined ? { json } : { file, json }));
      });

  program
    .command('token')
    .description('Print a development token (profile minimal).')
    .option('--sub <id>', 'subject', 'dev')
    .option('--name <name>', 'name', 'Local Dev')
    .option('--roles <list>', 'roles, separated by commas', listOf, ['admin', 'user'])
    .option('--groups <list>', 'groups, separated by commas', listOf, [])
    .option('--tenant <tenant>', 'tenant', 'default')
    .option('--agent <id>', 'registered agent that acts for the subject', agentId)
    .option(
      '--scopes <list>',
      'scopes that the token is held to, separated by commas (without: to none)',
      scopeList,
    )
    .option('--ttl-secs <seconds>', 'life, at most 300', tokenLife, 300)
    .addOption(jsonOption())
    .action(async ({ ttlSecs, ...flags }: TokenFlags) => {
      const { printToken } = await import('./token.js');
      report(printToken(world, { ...flags, ttlSeconds: ttlSecs }));
    });
}

function addUp(program: Command, world: World, report: (code: ExitCode) => void): void {
  program
    .command('up')
    .description('Start everything on this machine; Ctrl-C stops it.')
    .option('--config <file>', 'configuration file (UAR_CONFIG)')
    .option('--profile <name>', 'minimal or server-full (UAR_PROFILE)')
    .option('--host <address>', 'address of the gateway (UAR_HOST)')
    .option('--port <port>', 'port of the gateway; 0 takes free ones (UAR_PORT)', wholeNumber)
    .option('--management-port <port>', 'port of metrics and probes (UAR_MANAGEMENT_PORT)', wholeNumber)
    .option('--data-dir <folder>', 'folder of ledger, keys and memory (UAR_DATA_DIR)')
    .option('--log-level <level>', 'least severe lines that are logged (UAR_LOG_LEVEL)')
    .option('--bus <kind>', 'auto, inprocess or nats (UAR_BUS)')
    .option('--proxy-listen <address>', 'host:port of the jwt-dev-proxy (UAR_PROXY_LISTEN)')
    .option('--no-proxy', 'start no jwt-dev-proxy')
    .addOption(jsonOption())
    .action(async (flags: UpFlags) => {
      const { up } = await import('../launch/up.js');
      report(await up(world, { flags: variablesOf(flags), proxy: flags.proxy, json: flags.json }));
    });
}

/** Flags as the variables they stand for: what they set holds in the services' processes too. */
function variablesOf(flags: Omit<UpFlags, 'proxy' | 'json'>): Environment {
  const variables = {
    UAR_CONFIG: flags.config,
    UAR_PROFILE: flags.profile,
    UAR_HOST: flags.host,
    UAR_PORT: flags.port?.toString(),
    UAR_MANAGEMENT_PORT: flags.managementPort?.toString(),
    UAR_DATA_DIR: flags.dataDir,
    UAR_LOG_LEVEL: flags.logLevel,
    UAR_BUS: flags.bus,
    UAR_PROXY_LISTEN: flags.proxyListen,
  };
  return Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== undefined));
}
