export { forkSource, type ForkedSource } from './fork-source.js';
export { natsMissing, withBothBuses, withInProcessBus, type ConnectBus } from './both-buses.js';
export {
  findNatsServer,
  newPasswords,
  startNatsServer,
  type NatsServer,
  type NatsServerStart,
} from './nats-server.js';
export {
  repositoryDir,
  startProduct,
  type Product,
  type ProductOptions,
  type TokenOptions,
} from './product.js';
export { proofRuns } from './proof-runs.js';
export { postgresMissing, sharedPostgresDatabase } from './postgres-places.js';
export {
  findPostgres,
  startPostgres,
  type PostgresDatabase,
  type PostgresServer,
} from './postgres-server.js';
export { StatelessServer, statelessStdio, type StatelessServerOptions } from './stateless-server.js';
export { OAuthUpstream, type Recorded } from './oauth-upstream.js';
export { pidOf, pidsOf, processesNaming, type FoundProcess } from './processes.js';
export { startReplica, type Replica, type ReplicaOptions } from './replicas.js';
export { testConfig } from './test-config.js';
