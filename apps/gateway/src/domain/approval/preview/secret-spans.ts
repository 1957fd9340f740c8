import { elementSpans, memberSpans, type Span } from '@uar/json-text';
import type { PasswordSchemas, Position } from './password-schemas.js';

type Path = readonly string[];

/**
 * Where the secrets of an argument text stand: what a pointer names (`*` is every element of an array) and what the schema
 * calls a password. Outermost values only, in the order of the text, which is valid JSON.
 */
export function secretSpans(text: string, pointers: readonly string[], schemas: PasswordSchemas): Span[] {
  const paths = pointers.map((pointer) => pointer.split('/').slice(1).map(unescaped));
  const found: Span[] = [];
  const walk = (value: Span, toHere: readonly Path[], position: Position): void => {
    if (toHere.length === 0 && position.length === 0) return;
    if (toHere.some((path) => path.length === 0) || schemas.isPassword(position)) {
      found.push(value);
      return;
    }
    for (const member of memberSpans(text, value.start))
      walk(member.value, after(toHere, [member.name]), schemas.member(position, member.name));
    for (const [index, element] of elementSpans(text, value.start).entries())
      walk(element, after(toHere, ['*', String(index)]), schemas.element(position, index));
  };
  walk({ start: 0, end: text.length }, paths, schemas.root);
  return found;
}

function after(paths: readonly Path[], names: readonly string[]): Path[] {
  return paths.filter(([first]) => first !== undefined && names.includes(first)).map((path) => path.slice(1));
}

function unescaped(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}
