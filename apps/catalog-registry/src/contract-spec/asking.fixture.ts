import type { Bus } from '@uar/bus';
import type { CatalogReplica } from '@uar/catalog';
import {
  decideChange,
  deleteServer,
  listChanges,
  listServers,
  patchServer,
  probeServer,
  putServer,
  readHealth,
} from '@uar/contracts';
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
    changes: async (name: string) => {
      const listed = await valueOf(gateway.ask(listChanges, { tenant, name }));
      if (listed.kind !== 'listed') throw new Error(listed.message);
      return listed.changes;
    },
    listChanges: (name: string) => valueOf(gateway.ask(listChanges, { tenant, name })),
    decide: (name: string, id: string, decision: 'accept' | 'reject') =>
      valueOf(gateway.ask(decideChange, { principal: admin, name, id, decision })),
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
