import { toolUid } from '../cedar/entity-ids.js';
import { placeOf } from '../question/entities.js';
import { InputSchema, type NamedPointer } from './lint/arguments/input-schema.js';
import type { ToolSchema } from './lint/tool-schema.js';

/** Where a policy finds an argument. */
export interface ArgumentPlace {
  /** `context.args.s`, ... */
  readonly bag: string;
  readonly pointer: string;
  readonly type: 'string' | 'number' | 'boolean' | 'null';
}

export interface CatalogTool {
  /** Ids of Cedar entities. */
  readonly tool: string;
  readonly within: readonly { readonly type: string; readonly id: string }[];
  /** Open: it may be called with arguments that its schema does not name. */
  readonly schema: 'closed' | 'open';
  readonly arguments: readonly ArgumentPlace[];
}

/** The part of the schema that the live catalog makes (API.md 6). */
export interface CatalogSchema {
  /** Comments in Cedar's schema language, to be read below the shipped schema; literals can be copied into policies. */
  readonly text: string;
  readonly tools: readonly CatalogTool[];
  /** Tools that are not shown because there are too many. */
  readonly left_out: number;
}

const maxPlaces = 5_000;
const scalars = ['string', 'number', 'boolean', 'null'] as const;
const bagsOf = { string: ['s'], number: ['n', 'd'], boolean: ['b'], null: ['nulls'] } as const;
const suffixOf = { string: '', number: ':number', boolean: ':boolean', null: '' } as const;

export function catalogSchema(tools: readonly ToolSchema[]): CatalogSchema {
  const shown: CatalogTool[] = [];
  let places = 0;
  for (const tool of tools) {
    const one = catalogTool(tool);
    places += one.arguments.length + 1;
    if (places > maxPlaces) break;
    shown.push(one);
  }
  const left_out = tools.length - shown.length;
  return {
    text: [...headOf(tools.length, left_out), ...shown.flatMap(linesOf)].join('\n'),
    tools: shown,
    left_out,
  };
}

function catalogTool({ facts, inputSchema }: ToolSchema): CatalogTool {
  const schema = InputSchema.of(inputSchema);
  return {
    tool: toolUid(facts.tenant, facts.server, facts.raw_name).id,
    within: placeOf(facts).ancestors.map(({ type, id }) => ({ type, id })),
    schema: schema.isClosed ? 'closed' : 'open',
    arguments: schema.pointers().flatMap(placesOf),
  };
}

function placesOf({ pointer, types, isRepeated }: NamedPointer): readonly ArgumentPlace[] {
  const possible = types.has('any') ? scalars : scalars.filter((type) => types.has(type));
  return possible.flatMap((type): readonly ArgumentPlace[] => {
    if (isRepeated && type !== 'null')
      return [{ bag: 'context.args.l', pointer: `${pointer}${suffixOf[type]}`, type }];
    return bagsOf[type].map((bag) => ({ bag: `context.args.${bag}`, pointer, type }));
  });
}

function headOf(tools: number, leftOut: number): readonly string[] {
  const more = leftOut === 0 ? '' : `, ${leftOut} of them not shown`;
  return [
    `// ---------- generated from the live catalog: ${tools} tools${more}`,
    '// closed: a pointer that is not listed is a mistake; open: other arguments are possible',
  ];
}

function linesOf(tool: CatalogTool): readonly string[] {
  const within = tool.within.map(({ type, id }) => `${type}::${literal(id)}`).join(', ');
  return [
    '//',
    `// UAR::Tool::${literal(tool.tool)} in [${within}], ${tool.schema}`,
    ...tool.arguments.map(({ bag, pointer, type }) => `//   ${bag} ${literal(pointer)} ${type}`),
  ];
}

/** A string of Cedar, with everything visible: names come from upstreams, and a line must not end within one. */
function literal(text: string): string {
  const escaped = text.replace(/["\\\p{C}\p{Z}]/gu, (char) => {
    if (char === ' ') return char;
    if (char === '"' || char === '\\') return `\\${char}`;
    return `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;
  });
  return `"${escaped}"`;
}
