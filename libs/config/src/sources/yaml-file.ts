import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { isMap, isNode, isScalar, LineCounter, parseDocument, visit, type Document } from 'yaml';
import type { Problem } from '../check/problem.js';
import { isTree, type Path, type Tree } from './tree.js';

export interface YamlFile {
  /** Undefined when the file cannot be read or is no YAML mapping. */
  readonly tree: Tree | undefined;
  readonly problems: readonly Problem[];
  /** `uar.yaml:12` of the key at a path, or of the nearest one above it. */
  locate(path: Path): string;
}

/** Reads a YAML file (YAML 1.2). Duplicate keys, aliases without end and anything but one mapping are problems. */
export function readYamlFile(file: string): YamlFile {
  try {
    return parseYaml(readFileSync(file, 'utf8'), basename(file));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    const message = code === 'ENOENT' ? 'the file does not exist' : `the file cannot be read (${code})`;
    return { tree: undefined, problems: [{ path: file, message }], locate: () => basename(file) };
  }
}

function parseYaml(text: string, name: string): YamlFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
  const at = (offset: number) => `${name}:${lines.linePos(offset).line}`;
  const problems = [...document.errors, ...document.warnings].map((fault) => ({
    path: at(fault.pos[0]),
    message: fault.code === 'DUPLICATE_KEY' ? duplicateText(text, fault.pos[0]) : fault.message,
  }));
  problems.push(...forbiddenKeys(document, at));
  const broken = document.errors.some((error) => error.code !== 'DUPLICATE_KEY');
  const root = broken ? undefined : toTree(document, name, problems);
  return { tree: root, problems, locate: (path) => locate(document, path, at) ?? name };
}

function duplicateText(text: string, offset: number): string {
  const key = /^[^\s:]+/.exec(text.slice(offset))?.[0] ?? '';
  return `key ${key} stands twice`;
}

function toTree(document: Document, name: string, problems: Problem[]): Tree | undefined {
  try {
    const value: unknown = document.toJS({ maxAliasCount: 100 }) ?? {};
    if (isTree(value)) return value;
    problems.push({ path: name, message: 'the file holds no mapping of keys' });
  } catch (error) {
    problems.push({ path: name, message: error instanceof Error ? error.message : 'cannot be read' });
  }
  return undefined;
}

function forbiddenKeys(document: Document, at: (offset: number) => string): Problem[] {
  const found: Problem[] = [];
  visit(document, {
    Pair(_, pair) {
      if (isScalar(pair.key) && pair.key.value === '__proto__')
        found.push({ path: at(pair.key.range?.[0] ?? 0), message: 'key __proto__ is not allowed' });
    },
  });
  return found;
}

function locate(document: Document, path: Path, at: (offset: number) => string): string | undefined {
  for (let length = path.length; length > 0; length--) {
    const parent = length === 1 ? document.contents : document.getIn(path.slice(0, length - 1), true);
    if (!isMap(parent)) continue;
    const key = parent.items.find((pair) => isScalar(pair.key) && pair.key.value === path[length - 1])?.key;
    if (isNode(key) && key.range) return at(key.range[0]);
  }
  return undefined;
}
