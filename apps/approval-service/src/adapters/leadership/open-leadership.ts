import { TenantId } from '@uar/contracts';
import type { Ledger } from '@uar/ledger';
import type { ServiceContext } from '@uar/service';
import { z } from 'zod';
import type { BackgroundWork } from '../../background.js';
import { SharedLead, type LeadStore } from '../../domain/leadership/shared-lead.js';
import { alone, type Leadership } from '../../domain/leadership/leadership.js';

const place = { tenant: TenantId.parse('default'), namespace: 'lead', key: 'approval-service' };
const Holder = z.object({ holder: z.string() });

/** Of one replica among several where the ledger is one that they can share. */
export function openLeadership(
  { bus, config, log }: ServiceContext,
  ledger: Pick<Ledger, 'readSettings' | 'writeSetting'>,
): Leadership & BackgroundWork {
  if (config.ledger.url === undefined)
    return { ...alone, start: () => undefined, stop: () => Promise.resolve() };
  let isTroubled = false;
  return new SharedLead({
    store: leadStore(ledger),
    holder: bus.instance,
    isFit: () => bus.state() === 'connected',
    now: () => performance.now(),
    after: (ms, listener) => {
      const timer = setTimeout(listener, ms);
      return () => clearTimeout(timer);
    },
    changed: (leads) => {
      isTroubled = false;
      log.info(leads ? 'this replica leads' : 'another replica leads');
    },
    troubled: (error) => {
      if (!isTroubled) log.warn({ err: error }, 'who leads cannot be read or written; trying again');
      isTroubled = true;
    },
  });
}

function leadStore(ledger: Pick<Ledger, 'readSettings' | 'writeSetting'>): LeadStore {
  const write = async (value: unknown, ifRevision: number): Promise<boolean> =>
    (await ledger.writeSetting({ ...place, value, if_revision: ifRevision })).kind === 'written';
  return {
    async read() {
      const { settings } = await ledger.readSettings(place);
      const row = settings[0];
      return row && { ...Holder.parse(row.value), revision: row.revision };
    },
    take: (holder, ifRevision) => write({ holder }, ifRevision),
    giveBack: async (ifRevision) => void (await write(null, ifRevision)),
  };
}
