import { hash } from 'node:crypto';
import {
  principalId,
  type CatalogEntry,
  type CatalogServer,
  type GrantTarget,
  type HostKind,
  type InstanceId,
} from '@uar/contracts';
import type { Catalog, Clock } from '../call/ports.js';
import type { RunningCall } from '../call/running-call.js';

/** Longest time between grant and dispatch at the host, where what is placed may take longer. */
const grantMs = 60_000;

/** What needs an instance: something of a server, which may take so long there. */
export interface Placed {
  readonly host: HostKind;
  readonly server: string;
  readonly timeoutMs: number;
}

export function placedTool({ host, facts, timeout_ms }: CatalogEntry): Placed {
  return { host, server: facts.server, timeoutMs: timeout_ms };
}

/** Chooses the host instance before the PDP is asked: a grant is good for one instance only. */
export class Placement {
  private turn = 0;

  constructor(
    private readonly catalog: Catalog,
    private readonly clock: Clock,
  ) {}

  /** Undefined when no instance serves it now, apart from those that were tried. */
  place(call: RunningCall, placed: Placed, tried: readonly InstanceId[]): GrantTarget | undefined {
    const server = this.catalog.server(call.caller.principal.tenant, placed.server);
    call.server = server;
    const instances = server?.instances.filter((instance) => !tried.includes(instance)) ?? [];
    const instance =
      server?.placement === 'per_principal'
        ? homeOf(call, server, instances)
        : instances[this.turn++ % Math.max(instances.length, 1)];
    if (instance === undefined) return undefined;
    const expiresAt = Math.min(this.clock.now() + Math.min(placed.timeoutMs, grantMs), call.deadlineAt);
    return { host: placed.host, instance, expires_at: expiresAt };
  }
}

/**
 * Where the sessions of a principal live (rendezvous hashing): the same instance in every gateway, as long as it is there; when
 * others come or go, only those move whose home that is.
 */
function homeOf(
  { caller: { principal } }: RunningCall,
  { tenant, name }: CatalogServer,
  instances: readonly InstanceId[],
): InstanceId | undefined {
  const weights = instances.map((instance) => ({
    instance,
    weight: hash('sha256', JSON.stringify([tenant, name, principalId(principal), instance]), 'hex'),
  }));
  return weights.toSorted((one, other) => (one.weight < other.weight ? 1 : -1))[0]?.instance;
}
