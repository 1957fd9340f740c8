export { sourceHooks, startWorker, type WorkerFile } from './start-worker.js';
export { TimedWorker, type Submitted, type TaskResult, type TimedWorkerOptions } from './timed-worker.js';
