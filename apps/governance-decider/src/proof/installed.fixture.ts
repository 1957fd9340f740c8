import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { shippedFolder } from '../adapters/cedar/questions.fixture.js';
import type { Laboratory } from '../domain/policy/laboratory.js';
import { PolicyJson } from '../domain/policy/policy-json.js';
import { policySet, type PolicySet } from '../domain/policy/policy-set.js';
import { slicesOf } from '../domain/policy/slices.js';
import type { ReferencePolicy } from './reference/authorize.fixture.js';

const schema = await readFile(join(shippedFolder, 'schema.cedarschema'), 'utf8');

export interface Installed {
  readonly set: PolicySet;
  /** As our own evaluator takes them. */
  readonly policies: ReadonlyMap<string, ReferencePolicy>;
}

/** Puts policies into the real engine under `version`, unchecked: as live sets are (sliced), or whole. */
export async function installPolicies(
  laboratory: Laboratory,
  texts: Readonly<Record<string, string>>,
  as: { readonly version: string; readonly isSliced: boolean },
): Promise<Installed> {
  const inspected = await laboratory.inspect({ schema, policies: texts });
  if (inspected.kind === 'failed') throw new Error(inspected.message);
  const jsons = Object.entries(inspected.value.policies).map(([id, found]): [string, unknown] => {
    if (!('json' in found)) throw new Error(`${id}: ${JSON.stringify(found.broken)} in ${texts[id] ?? ''}`);
    return [id, found.json];
  });
  const { version } = as;
  const set = policySet(version, new Map(jsons.map(([id, json]) => [id, PolicyJson.parse(json)])));
  const slices = as.isSliced ? slicesOf(set) : [];
  const installed = await laboratory.install({ version, schema, policies: texts, warmUp: [], slices });
  if (installed.kind === 'failed') throw new Error(installed.message);
  return { set, policies: new Map(jsons as [string, ReferencePolicy][]) };
}
