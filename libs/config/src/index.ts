export { processEnvironment, type Environment } from './environment.js';
export { exampleFile, loadConfig, type BadConfig, type LoadedConfig, type LoadOptions } from './load.js';
export { isLoopbackHost } from './loopback.js';
export { readMcpFiles, type McpFiles } from './mcp-files.js';
export { productRoot } from './paths.js';
export { formatProblems, type Problem } from './problem.js';
export { urlOf, type ResolvedConfig } from './resolve.js';
export { UarConfig } from './schema.js';
export { cleanServerName, nameProblem, reservedServers } from './server-names.js';
