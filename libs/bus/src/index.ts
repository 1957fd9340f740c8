export {
  BUS,
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
