import { visibleText } from '@uar/catalog';

const mostCharacters = 16_384;
const shownAtEnd = 2_048;

/** The arguments as an approver sees them: nothing invisible, secrets starred, the middle of a very long text left out and counted. */
export function argumentsPreview(argumentsJson: string, secretPointers: readonly string[]): string {
  const shown = visibleText(
    secretPointers.length === 0 ? argumentsJson : starred(argumentsJson, secretPointers),
  );
  if (shown.length <= mostCharacters) return shown;
  const head = shown.slice(0, mostCharacters - shownAtEnd);
  const left = shown.length - mostCharacters;
  // The cuts may split a surrogate pair: a second pass shows the halves.
  return visibleText(`${head} [... ${left} characters not shown ...] ${shown.slice(-shownAtEnd)}`);
}

function starred(argumentsJson: string, pointers: readonly string[]): string {
  const value: unknown = JSON.parse(argumentsJson);
  for (const pointer of pointers) star(value, pointer.split('/').slice(1).map(unescaped));
  return JSON.stringify(value);
}

function unescaped(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** `*` stands for every element of an array. */
function star(value: unknown, path: readonly string[]): void {
  const [part, ...rest] = path;
  if (part === undefined || typeof value !== 'object' || value === null) return;
  const holder = new Map<string, unknown>(Object.entries(value));
  const keys = part === '*' && Array.isArray(value) ? [...holder.keys()] : [part];
  for (const key of keys) {
    if (!holder.has(key)) continue;
    if (rest.length > 0) star(holder.get(key), rest);
    else Reflect.set(value, key, '***');
  }
}
