export type { CatalogChanges } from './catalog-state.js';
export {
  canonicalDigest,
  definitionDigest,
  readDefinition,
  type Definition,
  type ReadDefinition,
} from './definition.js';
export {
  mergedOverride,
  resolveFacts,
  resolveNativeFacts,
  type FactsOfNativeTool,
  type FactsOfUpstreamTool,
} from './facts.js';
export { definitionBounds, definitionFlags, type DefinitionFlag } from './flags.js';
export { listPage, type HostList, type ListPage } from './list-page.js';
export { publicName } from './public-name.js';
export { CatalogReplica, type CatalogListener } from './replica.js';
export { skeletonOf } from './skeleton.js';
export { visibleText } from './visible.js';
