// @ts-check
// Plain JavaScript, as the worker that imports it.

/** @typedef {Readonly<Record<string, any>>} Json */

const namespace = 'UAR';
const primitives = ['Bool', 'Long', 'String', 'decimal', 'datetime', 'duration', 'ipaddr'];

export class TypeSlicer {
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
export function recordNames(types, slicer) {
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
export function reachable(roots, context, entityTypes) {
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
 * Types whose entities can be told apart by their ids: named, asking, or referred to from somewhere.
 * @param {{ named: readonly string[], principalTypes: readonly string[], slicedContext: Json, slicedTypes: Json }} parts
 * @returns {ReadonlySet<string>}
 */
export function toldApart({ named, principalTypes, slicedContext, slicedTypes }) {
  const types = Object.values(slicedTypes);
  const above = types.flatMap((type) => /** @type {string[]} */ (type.memberOfTypes ?? []));
  const referred = types.flatMap(({ shape, tags }) => [...entitiesIn(shape), ...entitiesIn(tags)]);
  const all = [...named, ...principalTypes, ...entitiesIn(slicedContext), ...above, ...referred];
  return new Set(all.map(withoutNamespace));
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

/** @param {string} name */
export function withoutNamespace(name) {
  return name.replace(`${namespace}::`, '');
}

/**
 * @param {Json} object
 * @param {(value: any) => any} change
 * @returns {Record<string, any>}
 */
export function mapValues(object, change) {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));
}
