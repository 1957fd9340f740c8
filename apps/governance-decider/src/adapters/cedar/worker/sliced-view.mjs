// @ts-check
// Plain JavaScript, as the worker that imports it.
import {
  TypeSlicer,
  mapValues,
  reachable,
  recordNames,
  toldApart,
  withoutNamespace,
} from './slice-types.mjs';

/** @typedef {import('../../../domain/policy/slices.js').Slice} Slice */
/** @typedef {import('../../../domain/cedar/cedar.js').CedarQuestion} CedarQuestion */
/** @typedef {import('../../../domain/cedar/cedar.js').Entity} Entity */
/** @typedef {Readonly<Record<string, any>>} Json */

/**
 * @typedef {object} View
 * @property {object} schema the same schema, with the one action and without what nobody reads
 * @property {(question: CedarQuestion) => CedarQuestion} slice what of a question that schema knows
 */

const namespace = 'UAR';
const wholeContext = '*';
const anyId = 'any';

/**
 * What of a question the policies of one action can tell apart. Only attributes that the schema knows and no policy reads
 * are left out, so a member that the schema does not know is still refused. Nothing where a record is used as a whole.
 * @param {Json} schema Cedar's JSON form with resolved types
 * @param {Slice} slice
 * @returns {View | undefined}
 */
export function viewOf(schema, slice) {
  const { commonTypes, entityTypes, actions } = schema[namespace];
  const types = new TypeSlicer(commonTypes ?? {}, slice.attributes);
  const action = actions[slice.action];
  const context = types.resolved(action.appliesTo.context);
  const records = recordNames([context, ...Object.values(entityTypes).map(({ shape }) => shape)], types);
  if (slice.wholes.some((name) => name === wholeContext || records.has(name))) return undefined;
  const slicedTypes = mapValues(entityTypes, (type) =>
    type.shape === undefined ? type : { ...type, shape: types.sliced(types.resolved(type.shape)) },
  );
  const slicedContext = types.sliced(context);
  const { principalTypes, resourceTypes } = action.appliesTo;
  const named = slice.named.map(({ type }) => type);
  const reached = reachable([...principalTypes, ...resourceTypes, ...named], slicedContext, slicedTypes);
  const told = toldApart({ named, principalTypes, slicedContext, slicedTypes });
  const kept = { ...action, appliesTo: { ...action.appliesTo, context: slicedContext } };
  return {
    schema: {
      [namespace]: {
        commonTypes: {},
        entityTypes: slicedTypes,
        actions: { ...groupsOf(slice.action, actions), [slice.action]: kept },
      },
    },
    slice: slicerOf({ slice, types, entityTypes, slicedTypes, context, slicedContext, reached, told }),
  };
}

/**
 * Every group that the action is in.
 * @param {string} action
 * @param {Json} actions
 */
function groupsOf(action, actions) {
  /** @type {Record<string, any>} */
  const groups = {};
  const open = [action];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    groups[name] = actions[name];
    open.push(...(actions[name].memberOf ?? []).map((/** @type {{ id: string }} */ { id }) => id));
  }
  return groups;
}

/**
 * @param {{ slice: Slice, types: TypeSlicer, entityTypes: Json, slicedTypes: Json, context: Json, slicedContext: Json, reached: ReadonlySet<string>, told: ReadonlySet<string> }} parts
 * @returns {(question: CedarQuestion) => CedarQuestion}
 */
function slicerOf({ slice, types, entityTypes, slicedTypes, context, slicedContext, reached, told }) {
  const named = new Set(slice.named.map(keyOf));
  const full = mapValues(entityTypes, ({ shape }) =>
    shape === undefined ? undefined : types.resolved(shape),
  );
  /** @type {(entity: Entity, present: ReadonlyMap<string, Entity>) => Entity} */
  const sliceEntity = ({ uid, attrs, parents, tags }, present) => {
    const name = withoutNamespace(uid.type);
    const keptTags = slice.readsTags && tags !== undefined ? { tags } : {};
    const isKept = (/** @type {Entity['uid']} */ parent) => {
      const key = keyOf(parent);
      return slice.anyAncestor || named.has(key) || present.has(key);
    };
    return {
      uid,
      attrs: withoutUnread(attrs, full[name], slicedTypes[name]?.shape),
      parents: parents.filter(isKept),
      ...keptTags,
    };
  };
  const isUnknown = (/** @type {Entity} */ { uid }) => entityTypes[withoutNamespace(uid.type)] === undefined;
  return (question) => {
    const { principal, resource } = question;
    const asked = [keyOf(principal), keyOf(resource)];
    const present = new Map(question.entities.map((entity) => [keyOf(entity.uid), entity]));
    const read = question.entities.filter(
      (entity) => reached.has(entity.uid.type) || isUnknown(entity) || asked.includes(keyOf(entity.uid)),
    );
    const entities = withAncestors(read, present).map((entity) => sliceEntity(entity, present));
    const cut = { ...question, context: withoutUnread(question.context, context, slicedContext), entities };
    return told.has(withoutNamespace(resource.type)) ? cut : withAnyResource(cut);
  };
}

/**
 * What is above a member may be a place that is named, whatever it is itself.
 * @param {readonly Entity[]} entities
 * @param {ReadonlyMap<string, Entity>} present
 * @returns {Entity[]}
 */
function withAncestors(entities, present) {
  const found = new Set(entities);
  for (const { parents } of found) {
    for (const parent of parents) {
      const above = present.get(keyOf(parent));
      if (above !== undefined) found.add(above);
    }
  }
  return [...found];
}

/**
 * The same question about every resource that differs in nothing but its id.
 * @param {CedarQuestion} question
 * @returns {CedarQuestion}
 */
function withAnyResource(question) {
  const { resource } = question;
  const uid = { type: resource.type, id: anyId };
  const alike = question.entities.filter((entity) => entity.uid.type === resource.type);
  const [own] = alike;
  if (own === undefined || alike.length > 1 || own.uid.id !== resource.id) return question;
  const entities = question.entities.map((entity) => (entity === own ? { ...own, uid } : entity));
  return { ...question, resource: uid, entities };
}

/**
 * @template {Json} T
 * @param {T} value
 * @param {Json | undefined} full
 * @param {Json | undefined} kept
 * @returns {T}
 */
function withoutUnread(value, full, kept) {
  if (full?.['type'] !== 'Record' || typeof value !== 'object' || value === null) return value;
  /** @type {Record<string, any>} */
  const left = {};
  for (const [name, part] of Object.entries(value)) {
    const known = Object.hasOwn(full['attributes'], name) ? full['attributes'][name] : undefined;
    const keptPart = kept?.['attributes'][name];
    if (known === undefined) left[name] = part;
    else if (keptPart !== undefined) left[name] = withoutUnread(part, known, keptPart);
  }
  return /** @type {T} */ (left);
}

/** @param {{ readonly type: string, readonly id: string }} uid */
function keyOf({ type, id }) {
  return `${type} ${id}`;
}
