/** A character for private use, of which nothing is meant by itself. */
const mark = '\uE000';

/** Postgres has no U+0000 in its texts, SQLite and JSON have: it is written as two characters, and the first of them too. */
export function withoutNul(text: string): string {
  if (!text.includes('\0') && !text.includes(mark)) return text;
  return text.replaceAll(mark, `${mark}1`).replaceAll('\0', `${mark}0`);
}

export function withNul(text: string): string {
  if (!text.includes(mark)) return text;
  return text.replaceAll(`${mark}0`, '\0').replaceAll(`${mark}1`, mark);
}
