export { natsMissing, withBothBuses, type ConnectBus } from './both-buses.js';
export {
  findNatsServer,
  newPasswords,
  startNatsServer,
  type NatsServer,
  type NatsServerStart,
} from './nats-server.js';
