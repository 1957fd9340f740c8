import { configJsonSchema } from './check/shape.js';
import { configVariables } from './sources/environment.js';
import { isTree, type Tree } from './sources/tree.js';

/** One row of docs/config.md. */
export interface ConfigRow {
  /** Dotted; `<name>` stands for a name of the operator's choice. */
  readonly path: string;
  readonly type: string;
  /** Absent where the key has no default of its own. */
  readonly default?: unknown;
  readonly description: string;
  /** Environment variable that sets it too. */
  readonly variable?: string;
  /** Never shown by `uar config print`. */
  readonly secret: boolean;
}

/** Every key of `uar.yaml` in the order of the schema. */
export function describeConfig(): ConfigRow[] {
  const variables = new Map(Object.entries(configVariables).map(([name, { path }]) => [path, name]));
  return rowsOf(configJsonSchema(), '').map((row) => {
    const variable = variables.get(row.path);
    return variable === undefined ? row : { ...row, variable };
  });
}

function rowsOf(schema: unknown, key: string): ConfigRow[] {
  if (!isTree(schema)) return [];
  if (typeof schema['sameAs'] === 'string') return [likeRow(schema, key, schema['sameAs'])];
  const properties = schema['properties'];
  if (isTree(properties))
    return Object.entries(properties).flatMap(([name, child]) =>
      rowsOf(child, key === '' ? name : `${key}.${name}`),
    );
  const values = schema['additionalProperties'];
  if (isTree(values) && isTree(values['properties'])) return rowsOf(values, `${key}.<name>`);
  return [rowOf(schema, key)];
}

function likeRow(schema: Tree, key: string, other: string): ConfigRow {
  const row = rowOf(schema, key);
  return { ...row, type: 'map', description: `${row.description} Keys as under ${other}.` };
}

function rowOf(schema: Tree, key: string): ConfigRow {
  const row = {
    path: key,
    type: typeOf(schema),
    description: typeof schema['description'] === 'string' ? schema['description'] : '',
    secret: schema['secret'] === true,
  };
  return schema['default'] === undefined ? row : { ...row, default: schema['default'] };
}

function typeOf(schema: unknown): string {
  if (!isTree(schema)) return 'any';
  const { type, items, additionalProperties } = schema;
  const choices = schema['enum'];
  const union = schema['anyOf'];
  if (Array.isArray(choices)) return choices.map(String).join(' | ');
  if (Array.isArray(union)) return union.map(typeOf).join(' or ');
  if (type === 'array') return `list of ${typeOf(items)}`;
  if (type === 'object')
    return isTree(additionalProperties) ? `map of ${typeOf(additionalProperties)}` : 'map';
  if (type === 'integer' || type === 'number') return `${type}${range(schema)}`;
  return typeof type === 'string' ? type : 'any';
}

function range({ minimum, maximum }: Tree): string {
  const low = typeof minimum === 'number' && minimum > Number.MIN_SAFE_INTEGER ? minimum : undefined;
  const high = typeof maximum === 'number' && maximum < Number.MAX_SAFE_INTEGER ? maximum : undefined;
  if (low === undefined) return high === undefined ? '' : ` <= ${high}`;
  return high === undefined ? ` >= ${low}` : ` ${low}-${high}`;
}
