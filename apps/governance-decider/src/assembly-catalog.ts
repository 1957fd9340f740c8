import { setImmediate as turn } from 'node:timers/promises';
import { CatalogReplica } from '@uar/catalog';
import type { ServiceContext } from '@uar/service';
import { CatalogSchemas } from './adapters/catalog/catalog-schemas.js';
import { CatalogWatch } from './adapters/catalog/catalog-watch.js';
import { problemText } from './domain/policy/lint/problem.js';
import { StalePolicies, type ActiveTexts } from './domain/policy/lint/stale-policies.js';
import type { PolicySets } from './domain/sets/policy-sets.js';

const quietMs = 500;

type Sets = Pick<PolicySets, 'status' | 'standing' | 'reload'>;

/** The live catalog, as policies are compared with it at loading and afterwards. */
export interface FollowedCatalog {
  readonly schemas: CatalogSchemas;
  /** Findings about a set in force since the catalog changed under it. */
  readonly reviewed: StalePolicies['of'];
  readonly watch: CatalogWatch;
}

export function followCatalog({ bus, log }: ServiceContext, sets: () => Sets): FollowedCatalog {
  const replica = new CatalogReplica({ bus, log });
  const schemas = new CatalogSchemas(replica);
  const stale = new StalePolicies({
    schemas,
    active: () => activeTexts(sets()),
    onStale: (tenant, problems) =>
      log.warn({ tenant, problems: problems.slice(0, 20).map(problemText) }, 'policy.stale'),
    pause: () => turn(),
  });
  // A set that was refused because of the catalog may be taken after a change of it.
  const onReviewed = () => {
    if (
      sets()
        .status()
        .some(({ problem }) => problem !== undefined)
    )
      void sets().reload();
  };
  const onFault = (error: unknown) => log.error({ err: error }, 'active policies were not reviewed');
  const watch = new CatalogWatch({ replica, stale, quietMs, onReviewed, onFault });
  return { schemas, reviewed: (tenant, version) => stale.of(tenant, version), watch };
}

function activeTexts(sets: Sets): readonly ActiveTexts[] {
  return sets.status().flatMap(({ tenant }) => {
    const { active } = sets.standing(tenant);
    return active === undefined ? [] : [{ tenant, set: active.set, texts: active.wanted.texts.policies }];
  });
}
