import { scanJson, unquote } from '@uar/json-text';

/** One value of the arguments that holds no other. */
export interface Leaf {
  /**
   * RFC 6901 pointer, array elements as `*`; a literal `*` in a member name is written `~2`, so that no name spells an
   * element.
   */
  readonly pointer: string;
  readonly kind: 'string' | 'number' | 'boolean' | 'null' | 'empty';
  /** The string itself, or the text of the number or boolean. */
  readonly text: string;
  /** True below an array: other leaves may have the same pointer. */
  readonly repeated: boolean;
}

export type Leaves =
  | { readonly kind: 'read'; readonly leaves: readonly Leaf[] }
  | { readonly kind: 'rejected'; readonly problem: string };

const maxNodes = 2_000;
const maxDepth = 16;
const token = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*|true|false|null|[{}[\],:]/g;

/** Reads argument text into its leaves. Beyond 2,000 values, 16 levels or strict JSON it is rejected, not cut. */
export function readLeaves(argumentText: string): Leaves {
  const scan = scanJson(argumentText, { maxDepth, maxNodes });
  if (scan.kind === 'bad') return { kind: 'rejected', problem: scan.problem };
  if (scan.rootKind !== 'object') return { kind: 'rejected', problem: 'not_an_object' };
  return { kind: 'read', leaves: new LeafReader(argumentText).read() };
}

interface Level {
  readonly pointer: string;
  readonly isObject: boolean;
  readonly repeated: boolean;
  children: number;
  /** Object levels: the name of the member whose value comes next. */
  name: string | undefined;
}

/** Walks the tokens of a text that is known to be valid, so that numbers keep their spelling. */
class LeafReader {
  private readonly leaves: Leaf[] = [];
  private readonly levels: Level[] = [];

  constructor(private readonly text: string) {}

  read(): readonly Leaf[] {
    for (const [found] of this.text.matchAll(token)) this.take(found);
    return this.leaves;
  }

  private take(found: string): void {
    if (found === ',' || found === ':') return;
    if (found === '{' || found === '[') this.open(found === '{');
    else if (found === '}' || found === ']') this.close();
    else this.scalar(found);
  }

  private open(isObject: boolean): void {
    const { pointer, repeated } = this.place();
    this.levels.push({ pointer, isObject, repeated: repeated || !isObject, children: 0, name: undefined });
  }

  private close(): void {
    const level = this.levels.pop();
    if (level === undefined || level.children > 0 || this.levels.length === 0) return;
    const repeated = this.levels.at(-1)?.repeated ?? false;
    this.leaves.push({ pointer: level.pointer, kind: 'empty', text: '', repeated });
  }

  private scalar(found: string): void {
    const level = this.levels.at(-1);
    const isString = found.startsWith('"');
    if (level?.isObject === true && level.name === undefined && isString) {
      level.name = unquote(found, 0, found.length);
      return;
    }
    const { pointer, repeated } = this.place();
    if (isString)
      this.leaves.push({ pointer, kind: 'string', text: unquote(found, 0, found.length), repeated });
    else this.leaves.push({ pointer, kind: kindOf(found), text: found, repeated });
  }

  /** Where the next value stands; uses up the member name that was read for it. */
  private place(): { pointer: string; repeated: boolean } {
    const level = this.levels.at(-1);
    if (level === undefined) return { pointer: '', repeated: false };
    level.children += 1;
    const step = level.isObject ? pointerStep(level.name ?? '') : '*';
    level.name = undefined;
    return { pointer: `${level.pointer}/${step}`, repeated: level.repeated };
  }
}

function kindOf(found: string): Leaf['kind'] {
  if (found === 'null') return 'null';
  return found === 'true' || found === 'false' ? 'boolean' : 'number';
}

const escapes: Readonly<Record<string, string>> = { '~': '~0', '/': '~1', '*': '~2' };

/** By hand, because replacing one character after the other takes five times as long, and names may be made to be slow. */
function pointerStep(name: string): string {
  let step = '';
  let from = 0;
  for (let at = 0; at < name.length; at += 1) {
    const escaped = escapes[name.charAt(at)];
    if (escaped === undefined) continue;
    step += name.slice(from, at) + escaped;
    from = at + 1;
  }
  return from === 0 ? name : step + name.slice(from);
}
