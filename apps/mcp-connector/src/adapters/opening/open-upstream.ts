import { McpError } from '@modelcontextprotocol/sdk/types.js';
import { scanJson } from '@uar/json-text';
import { replaceSecrets, scrub } from '../../domain/expand/scrub.js';
import type { ExpandedServer, Opened, OpenOptions, OpenUpstream, Upstream } from '../../domain/upstream.js';
import type { Words } from '../call-end.js';
import { McpUpstream, problemOf } from '../mcp-upstream.js';
import { AuthRequired, NotAuthorized } from '../not-sent.js';
import { StatelessUpstream } from '../stateless/stateless-upstream.js';
import { openInItsEra } from './find-era.js';
import { prepareChild } from './prepare-child.js';
import { prepareHttp } from './prepare-http.js';
import type { Prepared, UpstreamWorld } from './prepared.js';

export function createOpenUpstream(world: UpstreamWorld): OpenUpstream {
  return async (server, options) => {
    const prepared =
      server.config.transport === 'stdio'
        ? await prepareChild(server, world, options.principal)
        : prepareHttp(server, world, options.principal);
    if (prepared.kind === 'problem')
      return { kind: 'failed', message: scrub(prepared.message, server.secrets) };
    return await new Opening(server, options).open(prepared);
  };
}

/** One attempt to open a server. */
class Opening {
  /** What was opened last: a server may have to be prepared anew. */
  private prepared: Prepared | undefined;

  constructor(
    private readonly server: ExpandedServer,
    private readonly options: OpenOptions,
  ) {}

  async open(prepared: Prepared): Promise<Opened> {
    this.prepared = prepared;
    const { client, signal } = this.options;
    try {
      const upstream = await openInItsEra(
        prepared,
        {
          sender: { capabilities: client.capabilities },
          session: (at, how, own) => this.session(at, how, own),
          stateless: (at, { capabilities }) => this.stateless(at, capabilities),
        },
        signal,
      );
      return { kind: 'open', upstream, sandbox: 'none' };
    } catch (error) {
      await Promise.all([prepared.wire.close(), this.prepared.wire.close()]);
      return this.failed(error, this.prepared);
    }
  }

  private async session(
    prepared: Prepared,
    how: { readonly isBeside: boolean },
    signal: AbortSignal,
  ): Promise<Upstream> {
    this.prepared = prepared;
    const { transport, own } = prepared.sessions(how);
    const upstream = new McpUpstream({ ...this.wordsOf(prepared), ...this.shared(prepared), transport });
    try {
      await upstream.initialize(signal);
    } catch (error) {
      await upstream.close();
      throw error;
    }
    own();
    return upstream;
  }

  private async stateless(
    prepared: Prepared,
    capabilities: ConstructorParameters<typeof StatelessUpstream>[0]['capabilities'],
  ): Promise<Upstream> {
    const { wire, isHttp } = prepared;
    const upstream = new StatelessUpstream({
      ...this.wordsOf(prepared),
      ...this.shared(prepared),
      ...{ wire, isHttp, capabilities, isBase: this.options.principal === undefined },
    });
    await upstream.start();
    return upstream;
  }

  private shared({ explainLoss }: Prepared) {
    const { client, onToolsChanged, onUnreachable } = this.options;
    return { explainLoss, client, onToolsChanged, onUnreachable };
  }

  private wordsOf(prepared: Prepared): Words {
    const secrets = (): readonly string[] => [...this.server.secrets, ...(prepared.bearer?.secrets() ?? [])];
    return {
      scrub: (text) => scrub(text, secrets()),
      hideSecrets: (text) => replaceSecrets(text, secrets()),
      scrubJson: (text) => {
        const replaced = replaceSecrets(text, secrets());
        return scanJson(replaced, { duplicates: 'last_wins' }).kind === 'ok' ? replaced : undefined;
      },
    };
  }

  private failed(error: unknown, prepared: Prepared): Opened {
    if (error instanceof AuthRequired)
      return {
        ...{ kind: 'auth_required', message: error.message },
        ...(error instanceof NotAuthorized ? { missing: error.missing } : {}),
      };
    const message = `initialize failed: ${wordsOf(error)}${prepared.hint()}`;
    return { kind: 'failed', message: this.wordsOf(prepared).scrub(message) };
  }
}

function wordsOf(error: unknown): string {
  const problem = error instanceof McpError ? problemOf(error) : undefined;
  if (problem?.kind === 'upstream_error') return `${problem.message} (${problem.code})`;
  if (problem?.kind === 'transport_failure') return problem.message;
  return error instanceof Error ? error.message : String(error);
}
