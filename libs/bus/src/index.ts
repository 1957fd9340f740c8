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
export { createHub, type Hub } from './hub.js';
export { newInstanceId } from './random-id.js';
export { type ConnectOptions } from './service-bus.js';
export { BusStrategy } from './strategy.js';
