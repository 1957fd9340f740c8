import { hash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { McpError } from '@modelcontextprotocol/sdk/types.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { scanJson } from '@uar/json-text';
import { launch, type Child, type Environment } from '@uar/sandbox';
import { accountOf, type Accounts } from '../domain/account/accounts.js';
import type { Bearer } from '../domain/account/bearer.js';
import { replaceSecrets, scrub } from '../domain/expand/scrub.js';
import type { ExpandedServer, Opened, OpenOptions, OpenUpstream } from '../domain/upstream.js';
import type { AddressRules } from './http/address-rules.js';
import { HttpTransport } from './http/http-transport.js';
import { McpUpstream, problemOf } from './mcp-upstream.js';
import { AuthRequired, NotAuthorized } from './not-sent.js';
import { StdioTransport } from './stdio-transport.js';

export interface UpstreamWorld {
  /** Our own environment; children get the allow-listed part of it. */
  readonly environment: Environment;
  readonly dataDir: string;
  /** What `sandbox.mode` means where a server does not say. */
  readonly defaultSandbox: 'auto' | 'required';
  readonly addresses: AddressRules;
  readonly accounts: Accounts;
  readonly maxFrameBytes: number;
  readonly stopGraceMs: number;
  /** A fault of ours in the handling of an upstream's words, at most one per connection. */
  readonly onFault?: (error: unknown) => void;
}

/** A transport that is about to be initialized, with what it knows of its own end. */
interface Prepared {
  readonly transport: Transport;
  readonly explainLoss: () => Promise<string>;
  /** More words for a failed initialize. */
  readonly hint: () => string;
  readonly bearer?: Bearer | undefined;
}

export function createOpenUpstream(world: UpstreamWorld): OpenUpstream {
  return async (server, options) => {
    const prepared =
      server.config.transport === 'stdio'
        ? await prepareChild(server, world, options.principal)
        : prepareHttp(server, world, options.principal);
    if ('problem' in prepared) return { kind: 'failed', message: scrub(prepared.problem, server.secrets) };
    return await initialized(server, prepared, options);
  };
}

async function initialized(
  server: ExpandedServer,
  prepared: Prepared,
  options: OpenOptions,
): Promise<Opened> {
  const secrets = (): readonly string[] => [...server.secrets, ...(prepared.bearer?.secrets() ?? [])];
  const clean = (text: string): string => scrub(text, secrets());
  const upstream = new McpUpstream({
    transport: prepared.transport,
    explainLoss: prepared.explainLoss,
    client: options.client,
    onToolsChanged: options.onToolsChanged,
    onUnreachable: options.onUnreachable,
    scrub: clean,
    hideSecrets: (text) => replaceSecrets(text, secrets()),
    scrubJson: (text) => {
      const replaced = replaceSecrets(text, secrets());
      return scanJson(replaced, { duplicates: 'last_wins' }).kind === 'ok' ? replaced : undefined;
    },
  });
  try {
    await upstream.initialize(options.signal);
    return { kind: 'open', upstream, sandbox: 'none' };
  } catch (error) {
    await upstream.close();
    if (error instanceof AuthRequired)
      return {
        ...{ kind: 'auth_required', message: error.message },
        ...(error instanceof NotAuthorized ? { missing: error.missing } : {}),
      };
    return { kind: 'failed', message: clean(`initialize failed: ${wordsOf(error)}${prepared.hint()}`) };
  }
}

function wordsOf(error: unknown): string {
  const problem = error instanceof McpError ? problemOf(error) : undefined;
  if (problem?.kind === 'upstream_error') return `${problem.message} (${problem.code})`;
  if (problem?.kind === 'transport_failure') return problem.message;
  return error instanceof Error ? error.message : String(error);
}

async function prepareChild(
  { tenant, name, config }: ExpandedServer,
  world: UpstreamWorld,
  principal: string | undefined,
): Promise<Prepared | { readonly problem: string }> {
  const mode = config.sandbox.mode ?? world.defaultSandbox;
  if (mode === 'required') return { problem: 'sandbox.mode required cannot be kept by this host' };
  const home = join(world.dataDir, 'homes', homeName(`${tenant}/${name}`, principal));
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const launched = await launch({
    command: config.command ?? '',
    args: config.args,
    ...(config.cwd === undefined ? {} : { cwd: config.cwd }),
    environment: { ambient: world.environment, home, configured: config.env },
    owner: world.dataDir,
  });
  if (launched.kind === 'failed') return { problem: launched.message };
  const { child } = launched;
  const { maxFrameBytes, stopGraceMs, onFault } = world;
  return {
    transport: new StdioTransport({ child, maxFrameBytes, stopGraceMs, onFault }),
    explainLoss: async () => exitWords(await child.exited),
    hint: () => lastStderrLine(child),
  };
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

function prepareHttp(
  server: ExpandedServer,
  world: UpstreamWorld,
  principal: string | undefined,
): Prepared | { readonly problem: string } {
  const { config } = server;
  if (config.url === undefined || !URL.canParse(config.url)) return { problem: 'the url is no URL' };
  const url = new URL(config.url);
  const problem = world.addresses.urlProblem(url);
  if (problem !== undefined) return { problem };
  const { lookup } = world.addresses;
  const bearer =
    config.auth === undefined ? undefined : world.accounts.bearer(server, accountOf(server, principal));
  return {
    transport: new HttpTransport({
      url,
      headers: config.headers,
      ...{ lookup, bearer },
      maxFrameBytes: world.maxFrameBytes,
      onFault: world.onFault,
    }),
    explainLoss: () => Promise.resolve('the connection ended'),
    hint: () => '',
    bearer,
  };
}
