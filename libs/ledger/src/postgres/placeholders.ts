/** A statement as Postgres numbers its parameters. */
export interface NumberedStatement {
  readonly text: string;
  /** Values in the order of their numbers, from what stands for `?`, or from the one object that has the `@names`. */
  valuesOf(parameters: readonly unknown[]): readonly unknown[];
}

const places = /'(?:[^']|'')*'|\?|@([A-Za-z_][A-Za-z0-9_]*)/g;

/** `?` and `@name` become `$n`; one name is one number, however often it stands there. Texts in quotes stay. */
export function numbered(sql: string): NumberedStatement {
  const names: string[] = [];
  let marks = 0;
  const text = sql.replace(places, (place, name?: string) => {
    if (place.startsWith("'")) return place;
    if (name === undefined) return `$${(marks += 1)}`;
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  });
  if (marks > 0 && names.length > 0) throw new Error(`both ? and @names in: ${sql}`);
  return {
    text,
    valuesOf: (parameters) => (names.length === 0 ? parameters : named(parameters[0], names)),
  };
}

function named(parameters: unknown, names: readonly string[]): readonly unknown[] {
  const values = new Map(Object.entries(parameters ?? {}));
  return names.map((name) => {
    if (!values.has(name)) throw new Error(`no value for @${name}`);
    return values.get(name);
  });
}
