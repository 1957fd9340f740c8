export type { CatalogChanges } from './replica/catalog-state.js';
export {
  canonicalDigest,
  definitionDigest,
  readDefinition,
  type Definition,
  type ReadDefinition,
} from './definition/definition.js';
export {
  mergedOverride,
  resolveFacts,
  resolveNativeFacts,
  resolveTaskSupport,
  type FactsOfNativeTool,
  type FactsOfUpstreamTool,
} from './facts.js';
export { definitionBounds, definitionFlags, type DefinitionFlag } from './flags/flags.js';
export { itemPage, listPage, type HostList, type ListPage } from './list-page.js';
export { itemId, itemIdMembers } from './definition/item-id.js';
export { publicName } from './definition/public-name.js';
export { CatalogReplica, type CatalogListener } from './replica/replica.js';
export { paramMarks, valueAt, type ParamMark } from './param-marks.js';
export { skeletonOf } from './definition/skeleton.js';
export { visibleText } from './definition/visible.js';
