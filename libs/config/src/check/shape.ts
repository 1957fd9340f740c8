import { z } from 'zod';
import { nearest } from '@uar/nearest';
import type { Problem } from './problem.js';
import { UarConfig } from '../schema.js';
import { isTree, valueAt, withoutPath, type Path, type Tree } from '../sources/tree.js';

export interface Shaped {
  /** The configuration; where there are problems, with defaults in their places, so that further rules can be checked. */
  readonly config: UarConfig | undefined;
  readonly problems: readonly Problem[];
  readonly badPaths: readonly string[];
}

/** Checks the shape of a merged tree and names every misfit. `locate` says where a path was written. */
export function shape(tree: Tree, locate: (path: Path) => string): Shaped {
  let rest = tree;
  const problems: Problem[] = [];
  const badPaths: string[] = [];
  // Zod holds refinements back while plain checks fail, so one pass need not show everything.
  for (let pass = 0; pass < 8; pass++) {
    const parsed = UarConfig.safeParse(rest);
    if (parsed.success) return { config: parsed.data, problems, badPaths };
    for (const { path, message } of parsed.error.issues.flatMap((issue) => misfits(issue, rest))) {
      problems.push({ path: dotted(path), message: `${message}${locate(path)}` });
      badPaths.push(dotted(path));
      rest = withoutPath(rest, path);
    }
  }
  return { config: undefined, problems, badPaths };
}

interface Misfit {
  readonly path: Path;
  readonly message: string;
}

function misfits(issue: z.core.$ZodIssue, tree: Tree): Misfit[] {
  const path = issue.path.filter((key) => typeof key !== 'symbol');
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({ path: [...path, key], message: unknownKey(key, path) }));
  if (issue.code === 'invalid_key')
    return [{ path, message: 'is no name (letters, digits, dot, dash, underscore; at most 64)' }];
  if (issue.code === 'custom' && valueAt(tree, path) === undefined)
    return [{ path: path.slice(0, -1), message: issue.message }];
  if (valueAt(tree, path) === null) return [{ path, message: 'has no value; give one or remove the key' }];
  if (issue.code === 'invalid_type' && valueAt(tree, path) === undefined)
    return [{ path: path.slice(0, -1), message: `${String(path.at(-1))} is missing` }];
  return [{ path, message: sentence(issue) }];
}

function unknownKey(key: string, path: Path): string {
  const close = nearest(key, knownKeys(path));
  return close === undefined ? 'unknown key' : `unknown key; did you mean ${close}?`;
}

function sentence(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_union') return 'has none of the shapes that are allowed here';
  return issue.message.replace(/^Invalid (input|option): /, '').replace(/^Too (small|big): /, '');
}

export function dotted(path: Path): string {
  return path.join('.');
}

let jsonSchema: unknown;

/** JSON Schema (draft 2020-12) of what may be written in `uar.yaml`. */
export function configJsonSchema(): unknown {
  jsonSchema ??= z.toJSONSchema(UarConfig, { io: 'input', unrepresentable: 'any' });
  return jsonSchema;
}

function knownKeys(path: Path): string[] {
  const schema = path.reduce<unknown>((node, key) => {
    if (!isTree(node)) return undefined;
    if (typeof key === 'number') return node['items'];
    const properties = node['properties'];
    return isTree(properties) && Object.hasOwn(properties, key)
      ? properties[key]
      : node['additionalProperties'];
  }, configJsonSchema());
  const properties = isTree(schema) ? schema['properties'] : undefined;
  return isTree(properties) ? Object.keys(properties) : [];
}
