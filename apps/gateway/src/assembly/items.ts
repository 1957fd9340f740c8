import type { CatalogReplica } from '@uar/catalog';
import type { Bus } from '@uar/bus';
import { BusItemHosts } from '../adapters/bus/item-hosts.js';
import type { BusPdp } from '../adapters/bus/pdp.js';
import { systemClock } from '../adapters/clock.js';
import { RememberedSights } from '../adapters/remembered-sights.js';
import { ItemLists } from '../domain/item/item-lists.js';
import type { Runs } from '../domain/run/runs.js';

interface ItemParts {
  readonly bus: Bus;
  readonly replica: CatalogReplica;
  readonly pdp: BusPdp;
  readonly runs: Runs;
}

/** What upstreams offer besides tools. */
export function assembleItems({ bus, replica, pdp, runs }: ItemParts) {
  const sights = new RememberedSights({ bus, pdp, now: systemClock.now });
  const hosts = new BusItemHosts(bus);
  const items = new ItemLists({ runs, catalog: replica, hosts, sights, clock: systemClock });
  return { items, stopItems: () => sights.close() };
}
