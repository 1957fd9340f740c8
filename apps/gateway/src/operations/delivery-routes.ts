import { DeliveryView } from '@uar/contracts';
import { z } from 'zod';
import { governed } from '../http/access.js';
import { DeliveryListQuery, NoQuery } from '../http/asks.js';
import type { Route } from '../http/route.js';

const DeliveryList = z.strictObject({
  deliveries: z.array(DeliveryView),
  next_cursor: z.string().optional(),
});

const deliveries = '/api/uar/webhooks/deliveries';

/** What was told to the webhook, and what was not (docs/webhooks.md). */
export const deliveryRoutes = {
  listDeliveries: {
    method: 'get',
    paths: [deliveries],
    access: governed('manageSettings'),
    scope: 'admin',
    summary: 'Messages of the tenant to the webhook, newest first',
    query: DeliveryListQuery,
    answers: { 200: DeliveryList },
  },
  retryDelivery: {
    method: 'post',
    paths: [`${deliveries}/:id/retry`],
    access: governed('manageSettings'),
    scope: 'admin',
    summary: 'Has a message sent again that was given up',
    query: NoQuery,
    answers: { 200: DeliveryView },
    errors: [404, 409],
  },
} satisfies Record<string, Route>;
