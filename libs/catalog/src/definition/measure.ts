/** Sizes of a JSON value, taken without recursion so that no nesting can exhaust the stack. */
export interface Measure {
  /** 0 for a scalar, 1 for a flat object or array. */
  readonly depth: number;
  /** Members of all `properties`, `patternProperties`, `$defs` and `definitions` objects together. */
  readonly properties: number;
  /** String members `$ref`, `$dynamicRef` and `$recursiveRef`. */
  readonly refs: readonly string[];
}

const maps = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);
const references = new Set(['$ref', '$dynamicRef', '$recursiveRef']);

export function measure(root: unknown): Measure {
  const open: { value: object; depth: number }[] = [];
  const refs: string[] = [];
  let deepest = 0;
  let properties = 0;
  const visit = (key: string, value: unknown, depth: number) => {
    if (typeof value === 'string' && references.has(key)) refs.push(value);
    if (typeof value !== 'object' || value === null) return;
    if (maps.has(key)) properties += Object.keys(value).length;
    deepest = Math.max(deepest, depth);
    open.push({ value, depth });
  };
  visit('', root, 1);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const [key, value] of Object.entries(next.value)) visit(key, value, next.depth + 1);
  }
  return { depth: deepest, properties, refs };
}
