import { z } from 'zod';
import { ask, askFor } from '../client/answer.js';
import { connectTarget } from '../client/target.js';
import { json, plain, table } from '../output.js';
import { CommandFailure, exit, type ExitCode, type World } from '../world.js';

const Health = z.object({
  servers: z.array(
    z.looseObject({
      name: z.string(),
      status: z.string(),
      tool_count: z.number(),
      replicas: z.array(z.object({ last_error: z.string().optional() })).default([]),
    }),
  ),
});

const base = '/api/uar/mcp/servers';
const pathOf = (name: string) => `${base}/${encodeURIComponent(name)}`;

export async function listServers(world: World, options: { json: boolean }): Promise<ExitCode> {
  const client = connectTarget(world);
  if (options.json) {
    world.out(json(await ask(client, { method: 'GET', path: base })));
    return exit.ok;
  }
  const { servers } = await askFor(client, { method: 'GET', path: '/api/uar/mcp/health', answer: Health });
  const rows = servers.map(({ name, status, tool_count, replicas }) => {
    const error = replicas.find((replica) => replica.last_error !== undefined)?.last_error;
    return [name, status, String(tool_count), error ?? ''];
  });
  world.out(table(['SERVER', 'STATUS', 'TOOLS', 'LAST ERROR'], rows));
  return exit.ok;
}

export interface AddServer {
  readonly name: string;
  readonly command: readonly string[];
  readonly url?: string;
  readonly env: readonly string[];
  readonly header: readonly string[];
  readonly cwd?: string;
  readonly trustAnnotations: boolean;
  readonly connect: boolean;
  readonly json: boolean;
}

const Written = z.looseObject({
  warnings: z.array(z.object({ message: z.string() })).default([]),
  tools: z.array(z.string()).default([]),
});

/** Registers a server, or replaces it. */
export async function addServer(world: World, options: AddServer): Promise<ExitCode> {
  const body = JSON.stringify(serverBody(options));
  const path = `${pathOf(options.name)}${options.connect ? '' : '?connect=false'}`;
  const written = await askFor(connectTarget(world), { method: 'PUT', path, body, answer: Written });
  if (options.json) world.out(json(written));
  else world.out(`${options.name}: ${written.tools.length} tools\n`);
  for (const { message } of written.warnings) world.err(`warning: ${plain(message)}\n`);
  return exit.ok;
}

function serverBody(options: AddServer): Record<string, unknown> {
  const [command, ...args] = options.command;
  if ((command === undefined) === (options.url === undefined))
    throw new CommandFailure(exit.usage, 'give a command after -- or --url, one of the two');
  const common = options.trustAnnotations ? { trust_annotations: true } : {};
  if (options.url !== undefined)
    return { transport: 'streamable_http', url: options.url, headers: pairs(options.header, ':'), ...common };
  const cwd = options.cwd === undefined ? {} : { cwd: options.cwd };
  return { transport: 'stdio', command, args, env: pairs(options.env, '='), ...cwd, ...common };
}

function pairs(texts: readonly string[], sign: ':' | '='): Record<string, string> {
  return Object.fromEntries(
    texts.map((text) => {
      const at = text.indexOf(sign);
      if (at < 1) throw new CommandFailure(exit.usage, `an option is no NAME${sign}VALUE`);
      return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
    }),
  );
}

export async function removeServer(
  world: World,
  options: { name: string; json: boolean },
): Promise<ExitCode> {
  const answer = await ask(connectTarget(world), { method: 'DELETE', path: pathOf(options.name) });
  world.out(options.json ? json(answer) : `${options.name} is removed\n`);
  return exit.ok;
}

const Tested = z.looseObject({
  status: z.string(),
  tool_count: z.number(),
  latency_ms: z.number().optional(),
  mcp_revision: z.string().optional(),
  replicas: z.array(z.object({ last_error: z.string().optional() })).default([]),
});

/** Asks the server something harmless; exit code 0 when it is ready. */
export async function testServer(world: World, options: { name: string; json: boolean }): Promise<ExitCode> {
  const path = `${pathOf(options.name)}/test`;
  const health = await askFor(connectTarget(world), { method: 'POST', path, body: '{}', answer: Tested });
  if (options.json) world.out(json(health));
  else {
    const error = health.replicas.find((replica) => replica.last_error !== undefined)?.last_error;
    const time = health.latency_ms === undefined ? '' : `, ${Math.round(health.latency_ms)} ms`;
    const spoken = health.mcp_revision === undefined ? '' : `, MCP ${plain(health.mcp_revision)}`;
    const why = error === undefined ? '' : `: ${plain(error)}`;
    world.out(`${options.name} is ${health.status}, ${health.tool_count} tools${time}${spoken}${why}\n`);
  }
  return health.status === 'ready' ? exit.ok : exit.failed;
}

const Begun = z.looseObject({ authorization_url: z.string(), expires_at: z.string() });

/** Begins the authorization of an account at a server: prints where a browser has to go. `own`: the caller's own account. */
export async function connectServer(
  world: World,
  options: { name: string; own: boolean; json: boolean },
): Promise<ExitCode> {
  const path = `${pathOf(options.name)}/connect${options.own ? '/own' : ''}`;
  const begun = await askFor(connectTarget(world), { method: 'POST', path, body: '{}', answer: Begun });
  const { authorization_url: url, expires_at: end } = begun;
  world.out(options.json ? json(begun) : `open in a browser before ${plain(end)}:\n${plain(url)}\n`);
  return exit.ok;
}
