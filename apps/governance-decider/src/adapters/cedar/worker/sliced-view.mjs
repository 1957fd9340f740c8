// @ts-check
// Plain JavaScript, as the worker that imports it.

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
const primitives = ['Bool', 'Long', 'String', 'decimal', 'datetime', 'duration', 'ipaddr'];

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
  const kept = { ...action, appliesTo: { ...action.appliesTo, context: slicedContext } };
  return {
    schema: {
      [namespace]: {
        commonTypes: {},
        entityTypes: slicedTypes,
        actions: { ...groupsOf(slice.action, actions), [slice.action]: kept },
      },
    },
    slice: slicerOf({ slice, types, entityTypes, slicedTypes, context, slicedContext, reached }),
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

class TypeSlicer {
  /**
   * @param {Json} commonTypes
   * @param {readonly string[]} attributes
   */
  constructor(commonTypes, attributes) {
    this.commonTypes = commonTypes;
    this.attributes = new Set(attributes);
  }

  /**
   * With every name of a common type replaced by what it stands for.
   * @param {Json} type
   * @returns {Json}
   */
  resolved(type) {
    if (type['type'] === 'Record')
      return { ...type, attributes: mapValues(type['attributes'], (part) => this.resolved(part)) };
    if (type['type'] === 'Set') return { ...type, element: this.resolved(type['element']) };
    if (type['type'] === 'Entity' || primitives.includes(type['type'])) return type;
    const found = this.commonTypes[String(type['type']).replace(`${namespace}::`, '')];
    if (found === undefined) throw new Error(`no type ${type['type']}`);
    const { required } = type;
    return { ...this.resolved(found), ...(required === undefined ? {} : { required }) };
  }

  /**
   * @param {Json} type resolved
   * @returns {Json}
   */
  sliced(type) {
    if (type['type'] !== 'Record') return type;
    const kept = Object.entries(type['attributes']).filter(([name]) => this.attributes.has(name));
    return { ...type, attributes: Object.fromEntries(kept.map(([name, part]) => [name, this.sliced(part)])) };
  }
}

/**
 * Names of attributes that hold records.
 * @param {readonly (Json | undefined)[]} types
 * @param {TypeSlicer} slicer
 */
function recordNames(types, slicer) {
  /** @type {Set<string>} */
  const names = new Set();
  /** @type {Json[]} */
  const open = types.flatMap((type) => (type === undefined ? [] : [slicer.resolved(type)]));
  for (let type = open.pop(); type !== undefined; type = open.pop()) {
    if (type['type'] === 'Set') open.push(type['element']);
    for (const [name, part] of Object.entries(type['attributes'] ?? {})) {
      if (part.type === 'Record') names.add(name);
      open.push(part);
    }
  }
  return names;
}

/**
 * Types of entities that evaluation can come to.
 * @param {readonly string[]} roots
 * @param {Json} context
 * @param {Json} entityTypes
 */
function reachable(roots, context, entityTypes) {
  /** @type {Set<string>} */
  const reached = new Set();
  const open = [...roots, ...entitiesIn(context)];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (reached.has(name)) continue;
    reached.add(name);
    const type = entityTypes[withoutNamespace(name)];
    open.push(...entitiesIn(type?.shape), ...entitiesIn(type?.tags));
  }
  return reached;
}

/**
 * @param {Json | undefined} type
 * @returns {string[]}
 */
function entitiesIn(type) {
  if (type === undefined) return [];
  if (type['type'] === 'Entity') return [type['name']];
  if (type['type'] === 'Set') return entitiesIn(type['element']);
  return Object.values(type['attributes'] ?? {}).flatMap(entitiesIn);
}

/**
 * @param {{ slice: Slice, types: TypeSlicer, entityTypes: Json, slicedTypes: Json, context: Json, slicedContext: Json, reached: ReadonlySet<string> }} parts
 * @returns {(question: CedarQuestion) => CedarQuestion}
 */
function slicerOf({ slice, types, entityTypes, slicedTypes, context, slicedContext, reached }) {
  const named = new Set(slice.named.map(keyOf));
  const full = mapValues(entityTypes, ({ shape }) =>
    shape === undefined ? undefined : types.resolved(shape),
  );
  /** @type {(entity: Entity, present: ReadonlySet<string>) => Entity} */
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
  return (question) => {
    const { principal, resource } = question;
    const present = new Set(question.entities.map(({ uid }) => keyOf(uid)));
    const entities = question.entities.filter(
      ({ uid, parents }) =>
        reached.has(uid.type) ||
        // What has parents may lead from a member to a place that is named.
        parents.length > 0 ||
        entityTypes[withoutNamespace(uid.type)] === undefined ||
        [principal, resource].some((asked) => keyOf(asked) === keyOf(uid)),
    );
    return {
      ...question,
      context: withoutUnread(question.context, context, slicedContext),
      entities: entities.map((entity) => sliceEntity(entity, present)),
    };
  };
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

/** @param {string} name */
function withoutNamespace(name) {
  return name.replace(`${namespace}::`, '');
}

/**
 * @param {Json} object
 * @param {(value: any) => any} change
 * @returns {Record<string, any>}
 */
function mapValues(object, change) {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));
}
