export { childEnvironment, type ChildEnvironment, type Environment } from './environment.js';
export { launch, type Child, type LaunchOptions, type Launched } from './launch.js';
export {
  launchService,
  type ServiceLaunch,
  type ServiceLaunched,
  type ServiceProcess,
} from './launch-service.js';
export { markerVariable, sweepOrphans } from './marker.js';
export { type Exit } from './process-group.js';
export { runOnce, type RunOptions, type RunResult } from './run-once.js';
