export {
  type Readiness,
  type RunningService,
  type ServiceContext,
  type ServiceDefinition,
} from './service.js';
