import { upstreamNotified } from '@uar/contracts';
import type { ServiceContext } from '@uar/service';
import { systemClock } from '../adapters/clock.js';
import { CallClients } from '../domain/client/call-clients.js';
import { ConnectedClients } from '../domain/client/connected-clients.js';

/** Who is connected here, and what they hear of upstreams. */
export function assembleClients({ bus }: ServiceContext) {
  const clients = new ConnectedClients(bus.instance);
  const callClients = new CallClients({ clients, gateway: bus.instance, clock: systemClock });
  return { clients, callClients, stopNews: bus.listen(upstreamNotified, (news) => clients.tell(news)) };
}
