import { approvalRoutes } from '../calls/approval-routes.js';
import { callRoutes } from '../calls/call-routes.js';
import { toolRoutes } from '../calls/tool-routes.js';
import { eventRoutes } from '../events/event-routes.js';
import { policyRoutes } from '../governance/policy-routes.js';
import { trialRoutes } from '../governance/trial-routes.js';
import { deliveryRoutes } from '../operations/delivery-routes.js';
import { operationRoutes } from '../operations/operation-routes.js';
import { receiptRoutes } from '../operations/receipt-routes.js';
import { settingsRoutes } from '../operations/settings-routes.js';
import { agentRoutes } from '../runs/agent-routes.js';
import { runRoutes } from '../runs/run-routes.js';
import { changeRoutes } from '../servers/change-routes.js';
import { connectionRoutes } from '../servers/connection-routes.js';
import { serverRoutes } from '../servers/server-routes.js';
import { pageRoutes } from '../pages/page-routes.js';
import type { Route } from './route.js';

/** The HTTP API as data: the route tables of all ideas, in the order of API.md. */
export const routes = {
  ...toolRoutes,
  ...callRoutes,
  ...serverRoutes,
  ...connectionRoutes,
  ...changeRoutes,
  ...trialRoutes,
  ...policyRoutes,
  ...agentRoutes,
  ...runRoutes,
  ...eventRoutes,
  ...settingsRoutes,
  ...approvalRoutes,
  ...deliveryRoutes,
  ...receiptRoutes,
  ...operationRoutes,
  ...pageRoutes,
} satisfies Record<string, Route>;
