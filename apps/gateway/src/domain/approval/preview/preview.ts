import { visibleText } from '@uar/catalog';
import type { CatalogEntry } from '@uar/contracts';
import { memberText, unquote } from '@uar/json-text';
import { PasswordSchemas } from './password-schemas.js';
import { secretSpans } from './secret-spans.js';

/** Of the argument text, in bytes of UTF-8 and without its secrets; what is escaped takes more room. */
export const mostShownBytes = 65_536;
const shownAtEndBytes = 8_192;

/**
 * The argument text as an approver sees it: as it was received, but for secrets, which are spliced out as `"*** (n bytes)"`,
 * and for characters that hide or reorder, which are written as `\u{hex}`. Of more than 64 KB head and tail, with the count
 * of bytes between them that are not shown.
 */
export function argumentsPreview(
  argumentsJson: string,
  { facts, definition_json }: Pick<CatalogEntry, 'facts' | 'definition_json'>,
): string {
  const schemas = new PasswordSchemas(inputSchemaOf(definition_json));
  const text = spliced(argumentsJson, facts.secret_pointers, schemas);
  const bytes = Buffer.from(text);
  if (bytes.length <= mostShownBytes) return visibleText(text);
  const headEnd = boundary(bytes, mostShownBytes - shownAtEndBytes);
  const tailStart = boundary(bytes, bytes.length - shownAtEndBytes);
  const [head, tail] = [bytes.subarray(0, headEnd), bytes.subarray(tailStart)].map((part) =>
    visibleText(part.toString()),
  );
  return `${head} [... ${tailStart - headEnd} bytes not shown ...] ${tail}`;
}

function inputSchemaOf(definitionJson: string): unknown {
  const text = memberText(definitionJson, 'inputSchema');
  return text === undefined ? undefined : JSON.parse(text);
}

function spliced(text: string, pointers: readonly string[], schemas: PasswordSchemas): string {
  let shown = '';
  let from = 0;
  for (const { start, end } of secretSpans(text, pointers, schemas)) {
    shown += `${text.slice(from, start)}"*** (${secretBytes(text.slice(start, end))} bytes)"`;
    from = end;
  }
  return shown + text.slice(from);
}

/** Of a string what it says, of all else its JSON text, in UTF-8. */
function secretBytes(value: string): number {
  return Buffer.byteLength(value.startsWith('"') ? unquote(value, 0, value.length) : value);
}

/** The nearest place at or before `at` where no character is cut. */
function boundary(bytes: Buffer, at: number): number {
  let place = at;
  while (((bytes[place] ?? 0) & 0xc0) === 0x80) place -= 1;
  return place;
}
