/** Members of a settings document, by name. */
export type Members = Readonly<Record<string, unknown>>;

/** What the API set, and what the file said of the same members then. */
export interface Stored {
  readonly set: Members;
  readonly file: Members;
}

export const nothingStored: Stored = { set: {}, file: {} };

/** Settings win over the file (API.md 1). */
export function inForce(stored: Stored, file: Members): Members {
  return { ...file, ...stored.set };
}

/** The API set a member, and the file's value of it changed since. */
export function hasDrifted(stored: Stored, file: Members): boolean {
  return Object.entries(stored.file).some(([member, then]) => !isSame(then, file[member]));
}

/** An absent member stays what it is, null gives one back to the file, an object merges with what is in force. */
export function withChange(stored: Stored, change: Members, file: Members): Stored {
  const named = Object.entries(change).filter(([, value]) => value !== undefined);
  const names = new Set(named.map(([name]) => name));
  const before = inForce(stored, file);
  const given = named.filter(([, value]) => value !== null);
  return {
    set: {
      ...without(stored.set, names),
      ...Object.fromEntries(given.map(([name, value]) => [name, merged(before[name], value)])),
    },
    file: {
      ...without(stored.file, names),
      ...Object.fromEntries(given.map(([name]) => [name, file[name]])),
    },
  };
}

/** What was changed, for a receipt: switches and numbers with their value, lists by name. */
export function summaryOf(change: Members): string {
  const named = Object.entries(change).filter(([, value]) => value !== undefined);
  return named
    .map(([name, value]) => (typeof value === 'object' && value !== null ? name : `${name}=${String(value)}`))
    .join(' ');
}

/** Members of a document that a change leaves as they are; those of an object by its name and theirs. */
export function unnamed(change: Members, file: Members): readonly string[] {
  return Object.entries(file).flatMap(([name, value]) => {
    const given = change[name];
    if (given === undefined) return [name];
    if (!isObject(given) || !isObject(value)) return [];
    return unnamed(given, value).map((member) => `${name}.${member}`);
  });
}

function merged(before: unknown, value: unknown): unknown {
  return isObject(before) && isObject(value) ? { ...before, ...definedOf(value) } : value;
}

function definedOf(value: Members): Members {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined));
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function without(members: Members, names: ReadonlySet<string>): Members {
  return Object.fromEntries(Object.entries(members).filter(([name]) => !names.has(name)));
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
