export { proofRuns } from '@uar/testkit';
