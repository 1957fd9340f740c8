import { char, scalarEnd, skipSpace, stringEnd, unquote, type Span } from './token.js';

export type RootKind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null';

export interface ScanLimits {
  /** Deepest nesting of arrays and objects; absent: any, the scan itself never recurses. */
  readonly maxDepth?: number;
  /** Most values in all (members, elements and the root); absent: any. */
  readonly maxNodes?: number;
  /** Absent: an object that names a member twice is refused. `last_wins`: read as `JSON.parse` reads it. */
  readonly duplicates?: 'refuse' | 'last_wins';
}

export type ScanProblem = 'syntax' | 'duplicate_member' | 'too_deep' | 'too_many_nodes';

export type Scan =
  | {
      readonly kind: 'ok';
      /** Members of the root object by unescaped name; empty for other roots. */
      readonly members: ReadonlyMap<string, Span>;
      readonly rootKind: RootKind;
    }
  | {
      readonly kind: 'bad';
      readonly problem: ScanProblem;
      readonly offset: number;
      /** RFC 6901 pointer to the value that was being read, at most 32 levels of it. */
      readonly pointer: string;
    };

/** RFC 8259 validity of a text, in one pass without recursion. */
export function scanJson(text: string, limits: ScanLimits = {}): Scan {
  return new Scanner(text, limits).run();
}

const pointerLevels = 32;
const linearLookup = 8;

/** One open array or object. */
interface Level {
  readonly isObject: boolean;
  /** Where its first member names start in `names`. */
  readonly firstName: number;
  /** Elements begun so far. */
  elements: number;
  /** The name read last; `nameEnd` 0: none yet. */
  nameStart: number;
  nameEnd: number;
  /** Member names, once there are too many to compare one by one. */
  seen: Set<string> | undefined;
}

class Scanner {
  private readonly maxDepth: number;
  private readonly maxNodes: number;
  private readonly unique: boolean;
  private readonly levels: Level[] = [];
  /**
   * First names of each open object, to compare one by one; each with a quote in front: a name that looks like an integer would get an unseeded
   * hash in V8, so that a sender could choose names that collide in `seen`.
   */
  private readonly names: string[] = [];
  private readonly members = new Map<string, Span>();
  private nodes = 0;
  private at = 0;
  private problem: ScanProblem | undefined;
  private rootStart = 0;

  constructor(
    private readonly text: string,
    limits: ScanLimits,
  ) {
    this.maxDepth = limits.maxDepth ?? Infinity;
    this.maxNodes = limits.maxNodes ?? Infinity;
    this.unique = limits.duplicates !== 'last_wins';
  }

  run(): Scan {
    this.at = skipSpace(this.text, 0);
    const rootKind = kindAt(this.text, this.at);
    while (this.problem === undefined) {
      if (!this.value()) continue;
      if (this.afterValue()) return { kind: 'ok', members: this.members, rootKind };
    }
    return { kind: 'bad', problem: this.problem, offset: this.at, pointer: this.pointer() };
  }

  /** Reads a scalar, an empty container, or the opening of a container. True when a value has ended. */
  private value(): boolean {
    this.nodes += 1;
    if (this.nodes > this.maxNodes) return this.fail('too_many_nodes', this.at);
    const code = this.text.charCodeAt(this.at);
    if (code === char.openObject || code === char.openArray) return this.open(code === char.openObject);
    const end = scalarEnd(this.text, this.at);
    if (end < 0) return this.fail('syntax', -1 - end);
    this.at = end;
    return true;
  }

  private open(isObject: boolean): boolean {
    if (this.levels.length >= this.maxDepth) return this.fail('too_deep', this.at);
    this.at = skipSpace(this.text, this.at + 1);
    const close = isObject ? char.closeObject : char.closeArray;
    if (this.text.charCodeAt(this.at) === close) {
      this.at += 1;
      return true;
    }
    const level: Level = {
      isObject,
      firstName: this.names.length,
      elements: 1,
      nameStart: 0,
      nameEnd: 0,
      seen: undefined,
    };
    this.levels.push(level);
    if (isObject) this.name(level);
    return false;
  }

  /** From behind a value to the start of the next one (false), or to the end of the text (true). */
  private afterValue(): boolean {
    for (;;) {
      this.keepRootMember();
      this.at = skipSpace(this.text, this.at);
      const level = this.levels.at(-1);
      if (level === undefined) return this.at === this.text.length || this.fail('syntax', this.at);
      const code = this.text.charCodeAt(this.at);
      if (code === char.comma) {
        this.at = skipSpace(this.text, this.at + 1);
        level.elements += 1;
        if (level.isObject) this.name(level);
        return false;
      }
      if (code !== (level.isObject ? char.closeObject : char.closeArray)) return this.fail('syntax', this.at);
      this.levels.pop();
      this.names.length = level.firstName;
      this.at += 1;
    }
  }

  private keepRootMember(): void {
    const root = this.levels[0];
    if (this.levels.length !== 1 || root === undefined || !root.isObject) return;
    const name = unquote(this.text, root.nameStart, root.nameEnd);
    this.members.set(name, { start: this.rootStart, end: this.at });
  }

  /** Reads `"name" :` and stands at the value then. */
  private name(level: Level): boolean {
    const start = this.at;
    if (this.text.charCodeAt(start) !== char.quote) return this.fail('syntax', start);
    const end = stringEnd(this.text, start);
    if (end < 0) return this.fail('syntax', -1 - end);
    level.nameStart = start;
    level.nameEnd = end;
    this.at = skipSpace(this.text, end);
    if (this.text.charCodeAt(this.at) !== char.colon) return this.fail('syntax', this.at);
    if (this.unique && this.isRepeated(level)) return this.fail('duplicate_member', start);
    this.at = skipSpace(this.text, this.at + 1);
    if (this.levels.length === 1) this.rootStart = this.at;
    return true;
  }

  private isRepeated(level: Level): boolean {
    const name = `"${unquote(this.text, level.nameStart, level.nameEnd)}`;
    const count = this.names.length - level.firstName;
    let repeated = false;
    if (count < linearLookup) {
      for (let index = level.firstName; index < this.names.length && !repeated; index += 1)
        repeated = this.names[index] === name;
    } else {
      level.seen ??= new Set(this.names.slice(level.firstName));
      repeated = level.seen.has(name);
      level.seen.add(name);
    }
    if (count <= linearLookup) this.names.push(name);
    return repeated;
  }

  private fail(problem: ScanProblem, offset: number): false {
    this.problem ??= problem;
    this.at = offset;
    return false;
  }

  private pointer(): string {
    const parts = this.levels.slice(0, pointerLevels).map((level) => {
      if (!level.isObject) return String(level.elements - 1);
      return level.nameEnd === 0 ? '' : unquote(this.text, level.nameStart, level.nameEnd);
    });
    return parts.map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  }
}

function kindAt(text: string, at: number): RootKind {
  const first = text[at];
  if (first === '{') return 'object';
  if (first === '[') return 'array';
  if (first === '"') return 'string';
  if (first === 't' || first === 'f') return 'boolean';
  return first === 'n' ? 'null' : 'number';
}
