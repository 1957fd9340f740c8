// @ts-check
// Plain JavaScript, as the worker that imports it.
import {
  preparsePolicySet,
  preparseSchema,
  schemaToJsonWithResolvedTypes,
} from '@cedar-policy/cedar-wasm/web';
import { KnownAnswers } from './known-answers.mjs';
import { viewOf } from './sliced-view.mjs';

/** @typedef {import('./worker-protocol.js').WorkerTask} WorkerTask */
/** @typedef {import('../../../domain/cedar/cedar.js').CedarQuestion} CedarQuestion */
/** @typedef {Omit<Extract<WorkerTask, { op: 'install' }>, 'op' | 'warmUp'>} Installed */

/**
 * @typedef {object} Prepared
 * @property {string} schemaName
 * @property {string} setName
 * @property {(question: CedarQuestion) => CedarQuestion} slice
 * @property {KnownAnswers} known
 */

/** What is asked instead of a whole set, by set, action and part of it. What cannot be prepared is none: the whole set is asked. */
export class PreparedViews {
  /** @type {Map<string, Map<string, Prepared>>} */
  #views = new Map();

  /**
   * @param {string} version
   * @param {Pick<CedarQuestion, 'action' | 'part'>} question
   */
  find(version, { action, part = 'whole' }) {
    return this.#views.get(version)?.get(nameOf({ action, part }));
  }

  /** @param {Installed} installed */
  prepare(installed) {
    const { version, schema, slices } = installed;
    const resolved = slices.length === 0 ? undefined : schemaToJsonWithResolvedTypes(schema);
    if (resolved?.type !== 'success') return;
    const json = /** @type {Record<string, unknown>} */ (resolved.json);
    const entries = slices.flatMap((slice) => {
      const found = prepared(installed, slice, viewOf(json, slice));
      return found === undefined ? [] : [/** @type {[string, Prepared]} */ ([nameOf(slice), found])];
    });
    this.#views.set(version, new Map(entries));
  }

  /** Nothing that was prepared can be deleted; something empty in its place takes no room. @param {string} version */
  retire(version) {
    for (const { setName, schemaName } of this.#views.get(version)?.values() ?? []) {
      preparsePolicySet(setName, {});
      if (schemaName === setName) preparseSchema(schemaName, {});
    }
    this.#views.delete(version);
  }
}

/** @param {{ action: string, part: string }} slice */
const nameOf = ({ action, part }) => `${action} ${part}`;

/**
 * @param {Installed} installed
 * @param {Installed['slices'][number]} slice
 * @param {ReturnType<typeof viewOf>} view
 * @returns {Prepared | undefined}
 */
function prepared({ version, schemaName, policies }, slice, view) {
  const setName = `${version} ${nameOf(slice)}`;
  const staticPolicies = Object.fromEntries(slice.policies.map((id) => [id, policies[id] ?? '']));
  if (preparsePolicySet(setName, { staticPolicies }).type === 'failure') return undefined;
  const known = new KnownAnswers();
  if (view === undefined) return { schemaName, setName, slice: (question) => question, known };
  if (preparseSchema(setName, view.schema).type === 'failure') return undefined;
  return { schemaName: setName, setName, slice: view.slice, known };
}
