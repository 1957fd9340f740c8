import type { Bus } from '@uar/bus';
import type { CatalogReplica } from '@uar/catalog';
import { deleteServer, listServers, patchServer, probeServer, putServer, readHealth } from '@uar/contracts';
import { admin, tenant } from './world.fixture.js';

/** What a gateway asks the registry, a fault being a failed test. */
export function asking(gateway: Bus) {
  return {
    put: (name: string, body: unknown, connect = true) =>
      valueOf(gateway.ask(putServer, { principal: admin, name, body, connect })),
    patch: (name: string, body: unknown) =>
      valueOf(gateway.ask(patchServer, { principal: admin, name, body })),
    remove: (name: string) => valueOf(gateway.ask(deleteServer, { principal: admin, name })),
    servers: async () => (await valueOf(gateway.ask(listServers, { tenant }))).servers,
    health: () => valueOf(gateway.ask(readHealth, { tenant })),
    probe: (name: string, how: 'test' | 'reconnect') =>
      valueOf(gateway.ask(probeServer, { tenant, name, how })),
  };
}
export type Asking = ReturnType<typeof asking>;

export function names(replica: CatalogReplica): string[] {
  return replica.entries(tenant).map(({ name }) => name);
}

export function states(replica: CatalogReplica): Record<string, string> {
  return Object.fromEntries(replica.entries(tenant).map(({ name, state }) => [name, state]));
}

async function valueOf<T>(
  reply: Promise<{ kind: 'answered'; value: T } | { kind: 'fault'; message: string }>,
): Promise<T> {
  const got = await reply;
  if (got.kind === 'fault') throw new Error(got.message);
  return got.value;
}
