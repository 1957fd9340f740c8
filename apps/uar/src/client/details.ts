import { z } from 'zod';
import { plain } from '../output.js';

/** Places where arguments do not fit, each a JSON pointer (API.md 2, `invalid_arguments`). */
const Places = z.strictObject({ errors: z.array(z.strictObject({ path: z.string(), message: z.string() })) });

/** What an error says beyond its message, a line each; nothing where there is nothing. */
export function detailLines(details: unknown): string {
  if (details === undefined || details === null) return '';
  const places = Places.safeParse(details);
  const lines = places.success
    ? places.data.errors.map(({ path, message }) => `arguments${path}: ${message}`)
    : [JSON.stringify(details)];
  return lines.map((line) => `  ${plain(line).replace(/\s+/g, ' ')}\n`).join('');
}
