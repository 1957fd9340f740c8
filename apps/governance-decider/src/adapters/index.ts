export {
  OfflinePolicies,
  type CheckedSet,
  type FileProblem,
  type TestedFile,
} from './offline/offline-policies.js';
