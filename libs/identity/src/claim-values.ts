/** Members of a verified JSON object: own ones only, so that names like `__proto__` mean nothing. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function ownMember(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

const unprintable = /[\p{C}\p{Zl}\p{Zp}]/u;

/** Well-formed Unicode without control, format, private or unassigned characters and without line breaks. */
export function isPrintable(text: string, maxLength: number): boolean {
  return text.length <= maxLength && !unprintable.test(text);
}

/** A name: printable, not empty, not only white space. */
export function isName(value: unknown, maxLength = 256): value is string {
  return typeof value === 'string' && value.trim() !== '' && isPrintable(value, maxLength);
}

/** A list of names as JSON array; `undefined` when it is anything else. */
export function nameList(value: unknown, maxItems = 256): readonly string[] | undefined {
  if (!Array.isArray(value) || value.length > maxItems) return undefined;
  const items: readonly unknown[] = value;
  return items.every((item) => isName(item)) ? items : undefined;
}

export type Found =
  | { readonly kind: 'found'; readonly value: unknown }
  | { readonly kind: 'absent' }
  | { readonly kind: 'broken' };

/**
 * Looks a claim up by its configured name: the member of exactly that name (names may be URLs), else the dotted path.
 * `broken`: a step of the path is there and is not an object.
 */
export function findClaim(claims: JsonObject, name: string): Found {
  if (Object.hasOwn(claims, name)) return { kind: 'found', value: claims[name] };
  let at: unknown = claims;
  for (const step of name.split('.')) {
    if (!isJsonObject(at)) return { kind: 'broken' };
    if (!Object.hasOwn(at, step)) return { kind: 'absent' };
    at = at[step];
  }
  return { kind: 'found', value: at };
}
