import { scanJson } from '@uar/json-text';
import { measure } from '../definition/measure.js';
import { textFlags } from './text-flags.js';

/** Bounds of what an upstream may say about one tool (DESIGN.md 5). */
export const definitionBounds = { bytes: 65_536, depth: 32, properties: 500, refs: 200 } as const;

/**
 * Why a definition is not served before somebody has reviewed it. `bound`: beyond what is carried around at all, no
 * review helps · `name`: the name deceives · `text`: what is said about the tool does.
 */
export interface DefinitionFlag {
  readonly kind: 'bound' | 'name' | 'text';
  readonly message: string;
}

const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]/u;
const latin = /\p{Script=Latin}/u;
const lookAlikeScripts = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u;

/**
 * The flags of a definition, one clause each; empty when nothing is wrong. Nothing here compiles or runs a part of the
 * definition, so a hostile one costs no more than a few walks over it.
 */
export function definitionFlags(text: string): readonly DefinitionFlag[] {
  const bytes = Buffer.byteLength(text);
  if (bytes > definitionBounds.bytes) return flags('bound', [`definition of ${bytes} bytes`]);
  const scan = scanJson(text);
  if (scan.kind === 'bad') return flags('bound', [scanProblem(scan)]);
  const value: unknown = JSON.parse(text);
  if (!isObject(value)) return flags('bound', ['definition is no object']);
  const beyond = flags('bound', boundProblems(value));
  if (beyond.length > 0) return [...beyond, ...flags('name', nameProblems(value))];
  return [...flags('name', nameProblems(value)), ...flags('text', textFlags(value))];
}

function flags(kind: DefinitionFlag['kind'], messages: readonly string[]): readonly DefinitionFlag[] {
  return messages.map((message) => ({ kind, message }));
}

function scanProblem({ problem, pointer }: { readonly problem: string; readonly pointer: string }): string {
  return problem === 'duplicate_member' ? `duplicate member at ${pointer}` : 'definition is no JSON';
}

function boundProblems(definition: object): readonly string[] {
  const { depth, properties, refs } = measure(definition);
  const problems: string[] = [];
  if (depth > definitionBounds.depth) problems.push(`nested ${depth} deep`);
  if (properties > definitionBounds.properties) problems.push(`${properties} properties`);
  if (refs.length > definitionBounds.refs) problems.push(`${refs.length} references`);
  if (refs.some((ref) => !ref.startsWith('#'))) problems.push('reference to another document');
  return problems;
}

function nameProblems(definition: Readonly<Record<string, unknown>>): readonly string[] {
  const { name } = definition;
  if (typeof name !== 'string') return ['no name'];
  if (invisible.test(name)) return ['invisible characters in the name'];
  if (latin.test(name) && lookAlikeScripts.test(name)) return ['letters of several scripts in the name'];
  return [];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
