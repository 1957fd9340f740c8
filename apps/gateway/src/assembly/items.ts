import type { Bus } from '@uar/bus';
import type { BusPdp } from '../adapters/bus/pdp.js';
import { systemClock } from '../adapters/clock.js';
import { RememberedSights } from '../adapters/remembered-sights.js';
import type { CallPipeline } from '../domain/call/proposed-call.js';
import { ItemLists } from '../domain/item/item-lists.js';
import { Items } from '../domain/item/items.js';
import type { ItemHosts, ItemServers } from '../domain/item/ports.js';
import type { Runs } from '../domain/run/runs.js';

interface ItemParts {
  readonly bus: Bus;
  readonly replica: ItemServers;
  readonly pdp: BusPdp;
  readonly hosts: ItemHosts;
  readonly runs: Runs;
  readonly pipeline: CallPipeline;
}

/** What upstreams offer besides tools. */
export function assembleItems({ bus, replica, pdp, hosts, runs, pipeline }: ItemParts) {
  const sights = new RememberedSights({ bus, pdp, now: systemClock.now });
  const lists = new ItemLists({ runs, catalog: replica, hosts, sights, clock: systemClock });
  return { items: new Items(lists, pipeline), stopItems: () => sights.close() };
}
