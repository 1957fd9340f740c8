export { Answers } from './nest/answers.js';
export {
  BUS,
  type Announced,
  type Answered,
  type AskContext,
  type AskHandler,
  type AskOptions,
  type Bus,
  type BusFault,
  type BusFaultKind,
  type BusState,
  type Reply,
} from './bus.js';
export { connectNats, type NatsOptions } from './nats/connect-nats.js';
export {
  natsDeploymentConfig,
  natsPasswordVariable,
  natsServerConfig,
  type NatsServerOptions,
} from './nats/nats-config.js';
export { createHub, type Hub } from './hub/hub.js';
export { newInstanceId } from './core/random-id.js';
export { permissionsOf, serviceNames, type Permissions } from './core/rights.js';
export { type ConnectOptions } from './core/service-bus.js';
export { signOfLife } from './sign-of-life.js';
export { BusStrategy } from './nest/strategy.js';
