import type { AnswerOf, AskOf, Principal, ServerConfig, ServerWritten, TenantId } from '@uar/contracts';
import type { deleteServer, patchServer, putServer } from '@uar/contracts';
import type { Deed, Hosts } from '../ports.js';
import { connectionKey, processKey } from '../servers/config-identity.js';
import {
  serverKey,
  type DesiredServer,
  type DesiredServers,
  type StoredValue,
} from '../servers/desired-servers.js';
import type { Turns } from '../turns.js';
import { readBody, readPatch } from './server-body.js';
import { nameProblem } from './server-name.js';
import type { ServerStore } from '../servers/server-store.js';

type Refusal = Exclude<ServerWritten, { kind: 'written' }>;
type Deleted = AnswerOf<typeof deleteServer>;

export interface WriterParts {
  readonly desired: DesiredServers;
  readonly store: ServerStore;
  readonly hosts: Hosts;
  /** Commands that the API may set; `*` stands for any. */
  readonly apiCommands: readonly string[];
  readonly apply: Applier;
  readonly turns: Turns;
  readonly view: (server: DesiredServer) => Extract<ServerWritten, { kind: 'written' }>['server'];
}

/** Makes a stored change take effect. */
export interface Applier {
  apply(change: AppliedChange): Promise<void>;
}

export interface AppliedChange {
  readonly tenant: TenantId;
  readonly name: string;
  readonly kind: 'written' | 'deleted';
  /** Worth waiting for: a connection was just proven to work. */
  readonly proven: boolean;
}

interface Write {
  readonly principal: Principal;
  readonly name: string;
  readonly config: ServerConfig;
  readonly action: 'server.put' | 'server.patch';
  /** Absent: what connects is unchanged. */
  readonly attempt?: { readonly connect: boolean };
}

interface Stored {
  readonly name: string;
  readonly value: StoredValue;
  readonly deed: Deed;
  readonly proven: boolean;
}

const gone = {
  kind: 'unavailable' as const,
  message: 'nobody waits for the answer any more; nothing changed',
};
const notStored = {
  kind: 'unavailable' as const,
  message: 'the ledger did not confirm the change, and it is not in effect; write it again',
};
const overtaken = {
  kind: 'unavailable' as const,
  message: 'the stored server is another than was known here; look at it, then write it again',
};

/** Administrative writes of servers, in the order of answers of API.md 3. One writer per server at a time. */
export class ServerWriter {
  constructor(private readonly parts: WriterParts) {}

  put(
    { principal, name, body, connect }: AskOf<typeof putServer>,
    signal: AbortSignal,
  ): Promise<ServerWritten> {
    return this.exclusive(principal.tenant, name, async () => {
      const problem = this.nameProblem(principal.tenant, name);
      if (problem !== undefined) return problem;
      const read = readBody(body);
      if (read.kind === 'bad_shape') return read;
      const attempt = { connect: connect && read.config.enabled };
      return this.write({ principal, name, config: read.config, action: 'server.put', attempt }, signal);
    });
  }

  patch({ principal, name, body }: AskOf<typeof patchServer>, signal: AbortSignal): Promise<ServerWritten> {
    return this.exclusive(principal.tenant, name, async () => {
      const current = this.parts.desired.get(principal.tenant, name);
      if (current === undefined) return notFound(name);
      const read = readPatch(current.config, body);
      if (read.kind === 'bad_shape') return read;
      const attempt = attemptFor(current.config, read.config);
      return this.write(
        {
          principal,
          name,
          config: read.config,
          action: 'server.patch',
          ...(attempt === undefined ? {} : { attempt }),
        },
        signal,
      );
    });
  }

  delete({ principal, name }: AskOf<typeof deleteServer>, signal: AbortSignal): Promise<Deleted> {
    const { tenant } = principal;
    return this.exclusive(tenant, name, async () => {
      if (this.parts.desired.get(tenant, name) === undefined) return notFound(name);
      if (signal.aborted) return gone;
      const deed = { principal, action: `server.delete ${name}` };
      const refusal = await this.store({ value: { kind: 'deleted' }, name, deed, proven: false });
      return refusal ?? { kind: 'deleted' };
    });
  }

  private async write(write: Write, signal: AbortSignal): Promise<ServerWritten> {
    const { principal, name, config, action, attempt } = write;
    const { tenant } = principal;
    const current = this.parts.desired.get(tenant, name);
    const refusal = this.commandProblem(current?.config, config) ?? (await this.attempt(write, signal));
    if (refusal !== undefined) return refusal;
    if (signal.aborted) return gone;
    // Other names of the tenant were not locked while the connection was tried.
    const taken = this.nameProblem(tenant, name);
    if (taken !== undefined) return taken;
    const deed = { principal, action: `${action} ${name}` };
    const value = this.valueOf(tenant, name, config);
    const refused = await this.store({ value, name, deed, proven: attempt?.connect === true });
    if (refused !== undefined) return refused;
    const server = this.parts.desired.get(tenant, name);
    if (server === undefined) return notFound(name);
    return { kind: 'written', created: current === undefined, server: this.parts.view(server) };
  }

  /** Persists first, applies second. What an earlier write left in the ledger takes effect as well. */
  private async store({ value, name, deed, proven }: Stored): Promise<typeof notStored | undefined> {
    const { store, apply, desired } = this.parts;
    const { tenant } = deed.principal;
    const saved = await store.save({ tenant, name }, value, deed);
    switch (saved) {
      case 'unavailable':
        return notStored;
      case 'saved':
        await apply.apply({ tenant, name, kind: value.kind === 'deleted' ? 'deleted' : 'written', proven });
        return undefined;
      case 'overtaken': {
        const kind = desired.get(tenant, name) === undefined ? 'deleted' : 'written';
        await apply.apply({ tenant, name, kind, proven: false });
        return overtaken;
      }
    }
  }

  private async attempt(
    { principal, name, config, attempt }: Write,
    signal: AbortSignal,
  ): Promise<Refusal | undefined> {
    if (attempt === undefined) return undefined;
    const { tenant } = principal;
    const tried = await this.parts.hosts.tryServer(
      { tenant, name, config, connect: attempt.connect },
      signal,
    );
    switch (tried.kind) {
      case 'connected':
      case 'resolved':
        return undefined;
      case 'placeholder_unresolved':
      case 'connect_failed':
        return tried;
      case 'unreached':
        return { kind: 'unavailable', message: `the connection could not be tried: ${tried.reason}` };
    }
  }

  private commandProblem(current: ServerConfig | undefined, config: ServerConfig): Refusal | undefined {
    const wanted = processKey(config);
    if (wanted === undefined || (current !== undefined && processKey(current) === wanted)) return undefined;
    const { apiCommands } = this.parts;
    if (apiCommands.includes('*') || (config.command !== undefined && apiCommands.includes(config.command)))
      return undefined;
    return { kind: 'stdio_not_allowed', message: 'this command may not be set by API (mcp.api_commands)' };
  }

  private nameProblem(tenant: TenantId, name: string) {
    return nameProblem(
      name,
      this.parts.desired.list(tenant).map((server) => server.name),
    );
  }

  private valueOf(tenant: TenantId, name: string, config: ServerConfig): StoredValue {
    const fileDigest = this.parts.desired.fileDigest(tenant, name);
    return { kind: 'server', config, ...(fileDigest === undefined ? {} : { fileDigest }) };
  }

  private exclusive<T>(tenant: string, name: string, work: () => Promise<T>): Promise<T> {
    return this.parts.turns.exclusive(serverKey(tenant, name), work);
  }
}

/** A patch that changes nothing about the connection is not tried, nor is one that only switches the server off. */
function attemptFor(current: ServerConfig, next: ServerConfig): { connect: boolean } | undefined {
  const on = (config: ServerConfig) => connectionKey({ ...config, enabled: true });
  if (on(current) !== on(next)) return { connect: next.enabled };
  return next.enabled && !current.enabled ? { connect: true } : undefined;
}

function notFound(name: string): { kind: 'not_found'; message: string } {
  return { kind: 'not_found', message: `there is no server ${name}` };
}
