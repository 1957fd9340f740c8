import { scanJson } from '@uar/json-text';
import { measure } from './measure.js';

/** Bounds of what an upstream may say about one tool (DESIGN.md 5). */
export const definitionBounds = { bytes: 65_536, depth: 32, properties: 500, refs: 200 } as const;

const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]/u;
const latin = /\p{Script=Latin}/u;
const lookAlikeScripts = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u;

/**
 * Why a definition is not shown before somebody has reviewed it, one clause each; empty when nothing is wrong.
 * Nothing here compiles or runs a part of the definition, so a hostile one costs no more than one walk over it.
 */
export function definitionFlags(text: string): readonly string[] {
  const bytes = Buffer.byteLength(text);
  if (bytes > definitionBounds.bytes) return [`definition of ${bytes} bytes`];
  const scan = scanJson(text);
  if (scan.kind === 'bad')
    return [
      scan.problem === 'duplicate_member' ? `duplicate member at ${scan.pointer}` : 'definition is no JSON',
    ];
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return ['definition is no object'];
  return [...sizeFlags(value), ...nameFlags(value)];
}

function sizeFlags(definition: object): readonly string[] {
  const { depth, properties, refs } = measure(definition);
  const flags: string[] = [];
  if (depth > definitionBounds.depth) flags.push(`nested ${depth} deep`);
  if (properties > definitionBounds.properties) flags.push(`${properties} properties`);
  if (refs.length > definitionBounds.refs) flags.push(`${refs.length} references`);
  if (refs.some((ref) => !ref.startsWith('#'))) flags.push('reference to another document');
  return flags;
}

function nameFlags(definition: object): readonly string[] {
  const name: unknown = 'name' in definition ? definition.name : undefined;
  if (typeof name !== 'string') return ['no name'];
  if (invisible.test(name)) return ['invisible characters in the name'];
  if (latin.test(name) && lookAlikeScripts.test(name)) return ['letters of several scripts in the name'];
  return [];
}
