export { Answers } from './answers.js';
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
export { connectNats, type NatsOptions } from './nats.js';
export {
  natsDeploymentConfig,
  natsPasswordVariable,
  natsServerConfig,
  type NatsServerOptions,
} from './nats-config.js';
export { createHub, type Hub } from './hub.js';
export { newInstanceId } from './random-id.js';
export { permissionsOf, serviceNames, type Permissions } from './rights.js';
export { type ConnectOptions } from './service-bus.js';
export { BusStrategy } from './strategy.js';
