import { indexOfByte, placeAt, type Place } from './place.js';

interface Token {
  readonly kind: 'string' | 'name' | 'sign';
  /** Of a string: what it stands for. */
  readonly text: string;
  readonly index: number;
}

interface EntityLiteral {
  readonly type: string;
  readonly id: string;
  readonly index: number;
}

const tokenPattern = /\/\/[^\n]*|"(?:[^"\\]|\\[\s\S])*"|[A-Za-z_]\w*|::|[^\s]/g;

/** Finds again in a policy's text what was found in its parsed form, which knows no places. */
export class PolicyText {
  #read: readonly Token[] | undefined;

  constructor(private readonly text: string) {}

  /** Read when something is looked for: most policies are sound. */
  get #tokens(): readonly Token[] {
    this.#read ??= tokensOf(this.text);
    return this.#read;
  }

  at(index: number): Place {
    return placeAt(this.text, index);
  }

  /** The place of a byte, or of `word` where it stands between the two. */
  atBytes(start: number, end: number, word?: string): Place {
    const from = indexOfByte(this.text, start);
    const to = indexOfByte(this.text, end);
    const found = word === undefined ? -1 : this.text.slice(from, to).lastIndexOf(word);
    return this.at(found === -1 ? from : from + found);
  }

  annotation(name: string): Place | undefined {
    return this.#placeOf((token, index) => token.text === name && this.#sign(index - 1) === '@');
  }

  /** A call of a function or method. */
  call(name: string): Place | undefined {
    return this.#placeOf((token, index) => token.text === name && this.#sign(index + 1) === '(');
  }

  word(name: string): Place | undefined {
    return this.#placeOf((token) => token.kind === 'name' && token.text === name);
  }

  /** An attribute after `has`, as a name or a string. */
  presenceOf(attribute: string): Place | undefined {
    const place = this.#placeOf((token, index) => {
      const before = this.#tokens[index - 1];
      return token.text === attribute && (before?.text === 'has' || before?.text === '.');
    });
    return place ?? this.literal(attribute);
  }

  /** A string after `hasTag(` or `getTag(`, or failing that, anywhere. */
  tag(pointer: string): Place | undefined {
    const place = this.#placeOf((token, index) => {
      const method = this.#tokens[index - 2]?.text;
      return (
        token.kind === 'string' && token.text === pointer && (method === 'hasTag' || method === 'getTag')
      );
    });
    return place ?? this.literal(pointer);
  }

  literal(value: string): Place | undefined {
    return this.#placeOf((token) => token.kind === 'string' && token.text === value);
  }

  entity(type: string, id: string): Place | undefined {
    const found = entitiesOf(this.#tokens).find((literal) => literal.type === type && literal.id === id);
    return found === undefined ? undefined : this.at(found.index);
  }

  #placeOf(isIt: (token: Token, index: number) => boolean): Place | undefined {
    const found = this.#tokens.find(isIt);
    return found === undefined ? undefined : this.at(found.index);
  }

  #sign(index: number): string | undefined {
    const token = this.#tokens[index];
    return token?.kind === 'sign' ? token.text : undefined;
  }
}

export function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  for (const { 0: found, index } of text.matchAll(tokenPattern)) {
    if (found.startsWith('//')) continue;
    if (found.length > 1 && found.startsWith('"'))
      tokens.push({ kind: 'string', text: unescaped(found), index });
    else tokens.push({ kind: /^\w/.test(found) ? 'name' : 'sign', text: found, index });
  }
  return tokens;
}

/** `A::B::"id"`: the names before a string, joined by `::`. */
function entitiesOf(tokens: readonly Token[]): readonly EntityLiteral[] {
  return tokens.flatMap((token, at) => {
    if (token.kind !== 'string' || tokens[at - 1]?.text !== '::') return [];
    const names: string[] = [];
    let index = token.index;
    for (let step = at - 1; tokens[step]?.text === '::'; step -= 2) {
      const name = tokens[step - 1];
      if (name?.kind !== 'name') break;
      names.unshift(name.text);
      index = name.index;
    }
    return [{ type: names.join('::'), id: token.text, index }];
  });
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '0': '\0' };
const escape = /\\(?:u\{[0-9a-fA-F]{1,6}\}|x[0-9a-fA-F]{2}|[\s\S])/g;

function unescaped(literal: string): string {
  return literal.slice(1, -1).replace(escape, (found) => {
    const hex = /^\\(?:u\{|x)([0-9a-fA-F]+)\}?$/.exec(found)?.[1];
    if (hex === undefined) return escapes[found.charAt(1)] ?? found.slice(1);
    const point = Number.parseInt(hex, 16);
    return point > 0x10_ff_ff ? found : String.fromCodePoint(point);
  });
}
