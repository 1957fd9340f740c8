import { z } from 'zod';
import { announcement, exchange } from '../exchange.js';
import { EpochMs, HostKind, InstanceId, TenantId } from '../ids.js';
import { TokenKey } from '../calls/caller-token.js';
import { Principal } from '../principal.js';
import {
  ServerConfig,
  ServerHealth,
  ServerPlacement,
  ServerReport,
  ServerStatus,
  ServerView,
} from './server.js';
import { CatalogEntry } from './tool.js';

/** One server as a replica of the catalog knows it: enough to say what is missing and where to send a call. */
export const CatalogServer = z.strictObject({
  tenant: TenantId,
  name: z.string(),
  host: HostKind,
  status: ServerStatus,
  /** Why its tools are missing or not whole; absent when they are whole. */
  incomplete: z.string().optional(),
  /** Host instances that can execute its tools now. */
  instances: z.array(InstanceId),
  /** What confines it, as its host reports it (`landlock`, `none`, ...); receipts name it. */
  sandbox: z.string().optional(),
  /** Of an upstream. */
  placement: ServerPlacement.optional(),
  /** Longest request to an upstream, in milliseconds from dispatch. */
  timeout_ms: z.number().int().positive().optional(),
  /** Calls of it are sent along with the token of their caller, which is exchanged for one of the upstream. */
  takes_caller_token: z.boolean().optional(),
});
export type CatalogServer = z.output<typeof CatalogServer>;

/**
 * `version` is `<registry boot id>.<counter>`; a different boot id is a gap. Entries come in order of their key
 * `<tenant>/<public name>`, a page at a time: ask again with `after` = `next` until there is no `next`. Pages may be of
 * different versions; the changes announced since the first page make them whole. Servers stand in the first page.
 */
export const readCatalog = exchange({
  subject: 'uar.v1.catalog.snapshot.read',
  ask: z.strictObject({ after: z.string().optional() }),
  answer: z.strictObject({
    version: z.string(),
    entries: z.array(CatalogEntry),
    servers: z.array(CatalogServer),
    next: z.string().optional(),
  }),
  deadlineMs: 5_000,
});

/** A change of the catalog. Whoever is not at `previous`, or gets no `changes` (too large to send), reads the snapshot. */
export const catalogChanged = announcement({
  subject: 'uar.v1.event.catalog.changed',
  body: z.strictObject({
    version: z.string(),
    previous: z.string(),
    changes: z
      .strictObject({
        upserted: z.array(CatalogEntry),
        /** `<tenant>/<public name>` */
        removed: z.array(z.string()),
        servers: z.array(CatalogServer),
        /** `<tenant>/<server>` */
        servers_removed: z.array(z.string()),
      })
      .optional(),
  }),
});

/** The version the registry is at, once a second: a replica that missed an event notices. */
export const catalogBeat = announcement({
  subject: 'uar.v1.event.catalog.beat',
  body: z.strictObject({ version: z.string() }),
});

/** A configured server as its host needs it: with values, placeholders unexpanded. Only connectors may ask. */
export const WantedServer = z.strictObject({
  tenant: TenantId,
  name: z.string(),
  /** Equal for equal configurations, also across restarts; says nothing about order. */
  revision: z.number().int(),
  config: ServerConfig,
});
export type WantedServer = z.output<typeof WantedServer>;

export const readWantedServers = exchange({
  subject: 'uar.v1.servers.wanted.read',
  ask: z.strictObject({}),
  answer: z.strictObject({ servers: z.array(WantedServer) }),
  deadlineMs: 5_000,
});

/** The set of wanted servers changed; connectors read it again. */
export const serversChanged = announcement({
  subject: 'uar.v1.event.servers.changed',
  body: z.strictObject({ tenant: TenantId, name: z.string(), revision: z.number().int() }),
});

const refused = <K extends string>(kind: K) => z.strictObject({ kind: z.literal(kind), message: z.string() });

const ServerWritten = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('written'), created: z.boolean(), server: ServerView }),
  refused('name_taken'),
  refused('name_reserved'),
  refused('bad_name'),
  refused('bad_shape'),
  z.strictObject({ kind: z.literal('placeholder_unresolved'), missing: z.array(z.string()) }),
  refused('connect_failed'),
  refused('stdio_not_allowed'),
  refused('not_found'),
  /** The ledger did not take it: nothing changed. */
  refused('unavailable'),
]);
export type ServerWritten = z.output<typeof ServerWritten>;

export const listServers = exchange({
  subject: 'uar.v1.servers.view.list',
  ask: z.strictObject({ tenant: TenantId }),
  answer: z.strictObject({ servers: z.array(ServerView) }),
  deadlineMs: 5_000,
});

export const putServer = exchange({
  subject: 'uar.v1.servers.config.put',
  /** `body` is checked by the registry, after the name, in the order of answers of API.md 3. */
  ask: z.strictObject({ principal: Principal, name: z.string(), body: z.unknown(), connect: z.boolean() }),
  answer: ServerWritten,
  deadlineMs: 40_000,
});

export const patchServer = exchange({
  subject: 'uar.v1.servers.config.patch',
  ask: z.strictObject({ principal: Principal, name: z.string(), body: z.unknown() }),
  answer: ServerWritten,
  deadlineMs: 40_000,
});

export const deleteServer = exchange({
  subject: 'uar.v1.servers.config.delete',
  ask: z.strictObject({ principal: Principal, name: z.string() }),
  answer: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('deleted') }),
    refused('not_found'),
    refused('unavailable'),
  ]),
  deadlineMs: 10_000,
});

export const readHealth = exchange({
  subject: 'uar.v1.servers.health.read',
  ask: z.strictObject({ tenant: TenantId }),
  answer: z.strictObject({
    total_tools: z.number().int(),
    connected: z.number().int(),
    servers: z.array(ServerHealth),
  }),
  deadlineMs: 5_000,
});

/** `reconnect` closes and opens the connection; `test` opens one of its own beside it and closes it again. */
export const probeServer = exchange({
  subject: 'uar.v1.servers.health.probe',
  ask: z.strictObject({ tenant: TenantId, name: z.string(), how: z.enum(['reconnect', 'test']) }),
  answer: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('probed'), health: ServerHealth }),
    refused('not_found'),
    refused('unavailable'),
  ]),
  deadlineMs: 40_000,
});

/** A host instance is alive; also its answer to `registryStarted`. A host silent for 5 s counts as gone. */
export const hostBeat = announcement({
  subject: 'uar.v1.event.host.beat',
  body: z.strictObject({
    host: z.enum(['mcp', 'native']),
    instance: InstanceId,
    at: EpochMs,
    /** True from the moment it shuts down: no new calls. */
    stopping: z.boolean(),
    servers: z.array(ServerReport),
    /** To which tokens of callers are encrypted; another one at each start. */
    token_key: TokenKey.optional(),
  }),
});

export const registryStarted = announcement({
  subject: 'uar.v1.event.registry.started',
  body: z.strictObject({ version: z.string() }),
});
