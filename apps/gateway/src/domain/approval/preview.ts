const mostCharacters = 16_384;
const shownAtEnd = 2_048;

/** What could hide from a reader or reorder what is read: controls, format characters, odd spaces, private use, lone surrogates. */
const deceptive =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}\u115f\u1160\u3164\uffa0\u2800]|(?! )\p{Zs}|[\ufe00-\ufe0f]/gu;

/** The arguments as an approver sees them: nothing invisible, secrets starred, the middle of a very long text left out and counted. */
export function argumentsPreview(argumentsJson: string, secretPointers: readonly string[]): string {
  const shown = visible(secretPointers.length === 0 ? argumentsJson : starred(argumentsJson, secretPointers));
  if (shown.length <= mostCharacters) return shown;
  const head = shown.slice(0, mostCharacters - shownAtEnd);
  const left = shown.length - mostCharacters;
  // The cuts may split a surrogate pair: a second pass shows the halves.
  return visible(`${head} [... ${left} characters not shown ...] ${shown.slice(-shownAtEnd)}`);
}

function visible(text: string): string {
  return text.replace(deceptive, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
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
