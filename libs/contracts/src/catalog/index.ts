export {
  CatalogServer,
  WantedServer,
  catalogBeat,
  catalogChanged,
  deleteServer,
  hostBeat,
  listServers,
  patchServer,
  probeServer,
  putServer,
  readCatalog,
  readHealth,
  readWantedServers,
  registryStarted,
  serversChanged,
  type ServerWritten,
} from './catalog.js';
export {
  ChangeDecided,
  ChangeList,
  DefinitionChange,
  DefinitionDiff,
  DefinitionDifference,
  decideChange,
  listChanges,
} from './change.js';
export {
  HealthView,
  ServerConfig,
  ServerHealth,
  ServerReport,
  ServerStatus,
  ServerView,
  ToolOverride,
  connectionOf,
} from './server.js';
export { UpstreamAuth } from './upstream-auth.js';
export { CatalogEntry, TaskSupport, ToolFacts, ToolListView, ToolView } from './tool.js';
