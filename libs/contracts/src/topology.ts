import type { Announcement, Exchange } from './exchange.js';
import { approvalService } from './topology/approval-service.js';
import { catalogRegistry } from './topology/catalog-registry.js';
import { gateway } from './topology/gateway.js';
import { governanceDecider } from './topology/governance-decider.js';
import { mcpConnector } from './topology/mcp-connector.js';
import { nativeToolHost } from './topology/native-tool-host.js';

export type ServiceName =
  | 'gateway'
  | 'catalog-registry'
  | 'governance-decider'
  | 'approval-service'
  | 'mcp-connector'
  | 'native-tool-host';

/** What a service may do on the bus: the source of NATS permissions, of the in-process ones and of docs/subjects.md. */
export interface BusRights {
  readonly answers: readonly Exchange[];
  readonly asks: readonly Exchange[];
  readonly announces: readonly Announcement[];
  readonly listens: readonly Announcement[];
}

export const topology: Readonly<Record<ServiceName, BusRights>> = {
  gateway,
  'catalog-registry': catalogRegistry,
  'governance-decider': governanceDecider,
  'approval-service': approvalService,
  'mcp-connector': mcpConnector,
  'native-tool-host': nativeToolHost,
};
