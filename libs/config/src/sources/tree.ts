/** A configuration before its shape is known: what YAML, environment and flags give. */
export type Tree = { readonly [key: string]: unknown };

export type Path = readonly (string | number)[];

export function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Later layers win; mappings are merged, everything else is replaced. */
export function mergeTrees(layers: readonly Tree[]): Tree {
  return layers.reduce((under, over) => mergeTwo(under, over), {});
}

function mergeTwo(under: Tree, over: Tree): Tree {
  const merged = new Map(Object.entries(under));
  for (const [key, value] of Object.entries(over)) {
    if (value === undefined) continue;
    const below = merged.get(key);
    merged.set(key, isTree(below) && isTree(value) ? mergeTwo(below, value) : value);
  }
  return Object.fromEntries(merged);
}

/** The dotted paths of everything that is not a mapping. */
export function leaves(tree: Tree, prefix = ''): string[] {
  return Object.entries(tree).flatMap(([key, value]) => {
    if (value === undefined) return [];
    const path = prefix === '' ? key : `${prefix}.${key}`;
    return isTree(value) && Object.keys(value).length > 0 ? leaves(value, path) : [path];
  });
}

export function valueAt(tree: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, key) => {
    if (Array.isArray(value)) return value[Number(key)];
    return isTree(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }, tree);
}

/** The same tree without what stands at `path`. An array that loses an element is dropped whole. */
export function withoutPath(tree: Tree, path: Path): Tree {
  const [head, ...rest] = path;
  if (head === undefined) return {};
  const entries = Object.entries(tree).flatMap(([key, value]): [string, unknown][] => {
    if (key !== String(head)) return [[key, value]];
    return rest.length > 0 && isTree(value) ? [[key, withoutPath(value, rest)]] : [];
  });
  return Object.fromEntries(entries);
}

/** Applies `change` to every string that `pattern` reaches; `*` is any key or element. */
export function changeStrings(value: unknown, pattern: Path, change: (text: string) => string): unknown {
  const [head, ...rest] = pattern;
  if (head === undefined) return typeof value === 'string' ? change(value) : value;
  if (Array.isArray(value))
    return head === '*' ? value.map((item) => changeStrings(item, rest, change)) : value;
  if (!isTree(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      head === '*' || head === key ? changeStrings(item, rest, change) : item,
    ]),
  );
}
