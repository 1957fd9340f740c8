import { TenantId, type ServerConfig } from '@uar/contracts';
import { configDigest, connectionKey, revisionOf } from './config-identity.js';

export interface FileServer {
  readonly tenant: TenantId;
  readonly name: string;
  readonly config: ServerConfig;
}

/** What the API wrote about a server; `deleted` also hides one that the file has. */
export type StoredValue =
  | {
      readonly kind: 'server';
      readonly config: ServerConfig;
      /** Digest of the file's configuration at that time; absent: the file had none. */
      readonly fileDigest?: string;
    }
  | { readonly kind: 'deleted' };

export interface StoredServer {
  readonly tenant: TenantId;
  readonly name: string;
  /** Of the setting in the ledger, for compare and set. */
  readonly settingRevision: number;
  readonly value: StoredValue;
}

/** A server that shall exist, whoever said so. */
export interface DesiredServer {
  readonly tenant: TenantId;
  readonly name: string;
  readonly config: ServerConfig;
  readonly revision: number;
  /** Revisions under which a host has the very connection that is wanted. */
  readonly sameConnection: ReadonlySet<number>;
  /** The API's value stands although the file was changed since to something else. */
  readonly drift: boolean;
}

export type ServerId = Pick<DesiredServer, 'tenant' | 'name'>;

/** `<tenant>/<name>`: tenants hold no slash. */
export type ServerKey = string;

export function serverKey(tenant: string, name: string): ServerKey {
  return `${tenant}/${name}`;
}

export function partsOf(key: ServerKey): { readonly tenant: TenantId; readonly name: string } {
  const slash = key.indexOf('/');
  return { tenant: TenantId.parse(key.slice(0, slash)), name: key.slice(slash + 1) };
}

/** The configuration file overlaid by what the API wrote: the API's value wins and survives restarts (API.md 1). */
export class DesiredServers {
  private readonly file: ReadonlyMap<ServerKey, FileServer>;
  private readonly stored = new Map<ServerKey, StoredServer>();
  private readonly desired = new Map<ServerKey, DesiredServer>();

  constructor(file: readonly FileServer[]) {
    this.file = new Map(file.map((server) => [serverKey(server.tenant, server.name), server]));
    for (const server of file) this.settle(server);
  }

  get(tenant: string, name: string): DesiredServer | undefined {
    return this.desired.get(serverKey(tenant, name));
  }

  /** In order of tenant and name. */
  list(tenant?: string): readonly DesiredServer[] {
    const chosen = [...this.desired.values()].filter(
      (server) => tenant === undefined || server.tenant === tenant,
    );
    return chosen.toSorted((one, two) =>
      order(serverKey(one.tenant, one.name), serverKey(two.tenant, two.name)),
    );
  }

  /** Revision of the setting that a write must compare with; 0: there is none. */
  settingRevision(tenant: string, name: string): number {
    return this.stored.get(serverKey(tenant, name))?.settingRevision ?? 0;
  }

  fileDigest(tenant: string, name: string): string | undefined {
    const file = this.file.get(serverKey(tenant, name));
    return file === undefined ? undefined : configDigest(file.config);
  }

  /** Takes over what the ledger holds. An older revision than the known one changes nothing. */
  adopt(stored: StoredServer): void {
    if (stored.settingRevision < this.settingRevision(stored.tenant, stored.name)) return;
    this.stored.set(serverKey(stored.tenant, stored.name), stored);
    this.settle(stored);
  }

  private settle({ tenant, name }: { readonly tenant: TenantId; readonly name: string }): void {
    const key = serverKey(tenant, name);
    const written = this.stored.get(key)?.value;
    const config = written === undefined ? this.file.get(key)?.config : configOf(written);
    if (config === undefined) {
      this.desired.delete(key);
      return;
    }
    const revision = revisionOf(config);
    const before = this.desired.get(key);
    const kept =
      before !== undefined && connectionKey(before.config) === connectionKey(config)
        ? before.sameConnection
        : [];
    this.desired.set(key, {
      ...{ tenant, name, config, revision },
      sameConnection: new Set([...kept, revision]),
      drift: written?.kind === 'server' && this.drifts(key, written),
    });
  }

  private drifts(key: ServerKey, written: StoredValue & { kind: 'server' }): boolean {
    const file = this.file.get(key);
    const now = file === undefined ? undefined : configDigest(file.config);
    return now !== written.fileDigest && now !== configDigest(written.config);
  }
}

function configOf(value: StoredValue): ServerConfig | undefined {
  return value.kind === 'server' ? value.config : undefined;
}

function order(one: string, two: string): number {
  return one < two ? -1 : Number(one > two);
}
