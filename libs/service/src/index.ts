export { busProblems, microservice, type BusServiceOptions } from './microservice.js';
export { nestLog } from './nest-log.js';
export { listenForProbes, type ProbeListener, type ProbeOptions } from './probes.js';
export { runService } from './run-service.js';
export {
  type Endpoints,
  type Readiness,
  type RunningService,
  type ServiceContext,
  type ServiceDefinition,
} from './service.js';
