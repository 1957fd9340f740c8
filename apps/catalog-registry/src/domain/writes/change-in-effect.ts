import type { BodyOf, serversChanged } from '@uar/contracts';
import type { DefinitionChanges } from '../changes/definition-changes.js';
import type { Registry } from '../registry.js';
import type { Pins } from '../tools/pins.js';
import type { DesiredServers } from '../servers/desired-servers.js';
import type { AppliedChange, Applier } from './server-writer.js';

export interface ChangeParts {
  readonly desired: DesiredServers;
  readonly pins: Pins;
  readonly changes: DefinitionChanges;
  readonly registry: Registry;
  readonly announce: (change: BodyOf<typeof serversChanged>) => void;
  /** Ends the wait for a server to come up. */
  readonly settleSignal: () => AbortSignal;
}

/** A stored change takes effect: hosts are told, the catalog follows, and a proven server gets time to come up. */
export class ChangeInEffect implements Applier {
  constructor(private readonly parts: ChangeParts) {}

  async apply({ tenant, name, kind, proven }: AppliedChange): Promise<void> {
    const { desired, pins, changes, registry, announce, settleSignal } = this.parts;
    announce({ tenant, name, revision: desired.get(tenant, name)?.revision ?? 0 });
    if (kind === 'deleted') await pins.forget({ tenant, name });
    await registry.changed(tenant, name);
    if (kind === 'deleted') await changes.forget({ tenant, name });
    if (proven) await registry.settled(tenant, name, settleSignal());
  }
}
