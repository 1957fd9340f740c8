import { upstreamNotified } from '@uar/contracts';
import type { ServiceContext } from '@uar/service';
import { ConnectedClients } from '../domain/client/connected-clients.js';

/** Who is connected here, and what they hear of upstreams. */
export function assembleClients({ bus }: ServiceContext) {
  const clients = new ConnectedClients(bus.instance);
  return { clients, stopNews: bus.listen(upstreamNotified, (news) => clients.tell(news)) };
}
