import { Command, CommanderError } from 'commander';
import { formatProblems, loadConfig, type Environment } from '@uar/config';
import { mergeTexts, type ProxyTexts } from './domain/proxy-settings.js';
import { ProxyRefused, startProxy, type RunningProxy } from './module.js';

export interface CommandSurroundings {
  /** Without interpreter and script. */
  readonly args: readonly string[];
  readonly env: Environment;
  readonly cwd: string;
  /** Takes one line for people. */
  readonly say: (line: string) => void;
}

export type CommandEnd =
  | { readonly kind: 'running'; readonly proxy: RunningProxy }
  | { readonly kind: 'exit'; readonly code: 0 | 2 };

const warning =
  'DEVELOPMENT ONLY. Everything that reaches this port acts with the roles below. Never a production gateway:';
const lacks = 'no TLS, no proof of who asks, no tenant onboarding, no rate limit at an edge.';

/** `uar-jwt-proxy` (API.md 9): flag over environment over file over default. */
export async function runCommand(surroundings: CommandSurroundings): Promise<CommandEnd> {
  const { env, cwd, say } = surroundings;
  const parsed = parseFlags(surroundings);
  if (parsed.kind === 'exit') return parsed;
  const { config: file } = mergeTexts(parsed.flags, env);
  const loaded = loadConfig({ env, cwd, ...(file === undefined ? {} : { file }) });
  if (loaded.kind === 'bad') {
    say(`The configuration does not hold:\n${formatProblems(loaded.problems)}`);
    return { kind: 'exit', code: 2 };
  }
  try {
    const proxy = await startProxy({ config: loaded.config, env, flags: parsed.flags });
    say(`${warning}\n${lacks}`);
    say(`${proxy.url} -> http://${proxy.upstream}`);
    return { kind: 'running', proxy };
  } catch (error) {
    if (!(error instanceof ProxyRefused)) throw error;
    say(`uar-jwt-proxy does not start: ${error.message}`);
    return { kind: 'exit', code: 2 };
  }
}

type Parsed =
  { readonly kind: 'flags'; readonly flags: ProxyTexts } | { readonly kind: 'exit'; readonly code: 0 | 2 };

function parseFlags({ args, say }: CommandSurroundings): Parsed {
  const write = (text: string): void => {
    say(text.trimEnd());
  };
  const command = new Command('uar-jwt-proxy')
    .description(`Adds a short-lived development token to requests of this machine.\n${warning}\n${lacks}`)
    .option('--listen <host:port>', 'loopback address to listen on (127.0.0.1:8088)')
    .option('--upstream <host:port>', 'gateway on this machine (from the configuration, else 127.0.0.1:1906)')
    .option('--config <file>', 'configuration file')
    .option('--sub <subject>', 'subject of the token (dev)')
    .option('--name <name>', 'name claim ("Local Dev")')
    .option('--roles <list>', 'roles, comma separated (admin,user)')
    .option('--groups <list>', 'groups, comma separated')
    .option('--tenant <tenant>', 'tenant (default)')
    .option('--agent <id>', 'registered agent that acts for the subject (none)')
    .option('--scopes <list>', 'scopes that the token is held to, comma separated (to none)')
    .option('--ttl-secs <seconds>', 'life of a token, 1 to 300 (300)')
    .addHelpText('after', '\nEach flag also as UAR_PROXY_<FLAG>; a flag wins.')
    .allowExcessArguments(false)
    .exitOverride()
    .configureOutput({ writeOut: write, writeErr: write });
  try {
    command.parse([...args], { from: 'user' });
    return { kind: 'flags', flags: command.opts<ProxyTexts>() };
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return { kind: 'exit', code: error.exitCode === 0 ? 0 : 2 };
  }
}
