import type { CatalogEntry, GrantTarget, InstanceId } from '@uar/contracts';
import type { Catalog, Clock } from '../call/ports.js';
import type { RunningCall } from '../call/running-call.js';

/** Longest time between grant and dispatch at the host, where the tool's own time limit is longer. */
const grantMs = 60_000;

/** Chooses the host instance before the PDP is asked: a grant is good for one instance only. */
export class Placement {
  private turn = 0;

  constructor(
    private readonly catalog: Catalog,
    private readonly clock: Clock,
  ) {}

  /** Undefined when no instance serves the tool now, apart from those that were tried. */
  place(call: RunningCall, entry: CatalogEntry, tried: readonly InstanceId[]): GrantTarget | undefined {
    const server = this.catalog.server(call.caller.principal.tenant, entry.facts.server);
    call.server = server;
    const instances = server?.instances.filter((instance) => !tried.includes(instance)) ?? [];
    const instance = instances[this.turn++ % Math.max(instances.length, 1)];
    if (instance === undefined) return undefined;
    const expiresAt = Math.min(this.clock.now() + Math.min(entry.timeout_ms, grantMs), call.deadlineAt);
    return { host: entry.host, instance, expires_at: expiresAt };
  }
}
