/** Text of others, fit for a terminal: control and bidirectional characters are shown as escapes, line breaks and tabs stay. */
export function plain(text: string): string {
  return text.replace(
    /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u200E\u200F\u2028-\u202E\u2066-\u2069\uFEFF]/g,
    (sign) => {
      return `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
    },
  );
}

/** Rows under headings, in columns; every cell on one line. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [headings, ...rows.map((row) => row.map((cell) => plain(cell).replace(/[\n\t]+/g, ' ')))];
  const widths = headings.map((_, column) => Math.max(...cells.map((row) => (row[column] ?? '').length)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return `${cells.map(line).join('\n')}\n`;
}

export function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
