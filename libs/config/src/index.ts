export { processEnvironment, type Environment } from './sources/environment.js';
export { exampleFile, loadConfig, type BadConfig, type LoadedConfig, type LoadOptions } from './load.js';
export { policiesFolderProblem } from './check/policies-folder.js';
export { isLoopbackHost } from './check/loopback.js';
export { readMcpFiles, type McpFiles } from './sources/mcp-files.js';
export { productRoot } from './sources/paths.js';
export { formatProblems, type Problem } from './check/problem.js';
export { ledgerPlace, type LedgerPlace } from './resolve/ledger.js';
export {
  fileToolSettings,
  resolveConfig,
  tenantSettings,
  unnamedTenant,
  urlOf,
  type ResolvedConfig,
  type ResolvedTenant,
} from './resolve/resolve.js';
export { UarConfig } from './schema.js';
export { cleanServerName, nameProblem, reservedServers } from './check/server-names.js';
export { describeConfig, type ConfigRow } from './describe.js';
export { printConfig, redactConfig, redactUrls } from './print.js';
export { configJsonSchema } from './check/shape.js';
