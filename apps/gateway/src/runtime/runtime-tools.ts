import type { Capability } from '@uar/contracts';
import { approvalRoutes } from '../calls/approval-routes.js';
import { callRoutes } from '../calls/call-routes.js';
import { toolRoutes } from '../calls/tool-routes.js';
import { trialRoutes } from '../governance/trial-routes.js';
import type { Route } from '../http/route.js';
import { agentRoutes } from '../runs/agent-routes.js';
import { runRoutes } from '../runs/run-routes.js';
import { serverRoutes } from '../servers/server-routes.js';

/** A route of the HTTP API as a tool: what it asks, checks and answers is the route's. */
export interface RuntimeTool {
  readonly route: Route;
  /** Names of arguments that are path parameters, by parameter. */
  readonly path?: Readonly<Record<string, string>>;
  readonly capabilities: readonly Capability[];
  readonly risk: number;
  /** It changes something, if only of the caller's own. */
  readonly changes?: true;
}

const reading = { capabilities: ['read'], risk: 0 } as const;
/** What concerns the caller's own runs alone takes rights away, or ends what it began itself. */
const own = { capabilities: ['read'], risk: 1, changes: true } as const;

/** The tools of `/mcp/uar` (API.md 8), by name. */
export const runtimeTools: Readonly<Record<string, RuntimeTool>> = {
  uar_list_agents: { route: agentRoutes.listAgents, ...reading },
  uar_create_run: { route: runRoutes.createRun, ...own },
  uar_get_run_status: { route: runRoutes.readRun, path: { id: 'run_id' }, ...reading },
  uar_cancel_run: { route: runRoutes.cancelRun, path: { id: 'run_id' }, ...own },
  uar_list_tools: { route: toolRoutes.listTools, ...reading },
  uar_get_call: { route: callRoutes.readCall, path: { call_id: 'call_id' }, ...reading },
  uar_list_approvals: { route: approvalRoutes.listApprovals, ...reading },
  uar_decide_approval: {
    route: approvalRoutes.decideApproval,
    path: { id: 'approval_id' },
    capabilities: ['write'],
    risk: 1,
    changes: true,
  },
  uar_mcp_health: { route: serverRoutes.readHealth, ...reading },
  uar_explain: { route: trialRoutes.explainCall, ...reading },
};
