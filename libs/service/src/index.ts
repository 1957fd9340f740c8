export { busProblems, microservice } from './microservice.js';
export { nestLog } from './nest-log.js';
export {
  type Readiness,
  type RunningService,
  type ServiceContext,
  type ServiceDefinition,
} from './service.js';
