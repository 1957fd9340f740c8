import { isWellFormed, toWellFormed } from '../cedar/well-formed.js';
import type { Leaf } from './leaves.js';
import { cedarNumber } from './number.js';

/** The arguments as policies read them (GOVERNANCE.md 3): one bag per type, keyed by pointer. */
export interface Bags {
  readonly s: Readonly<Record<string, string>>;
  readonly n: Readonly<Record<string, number>>;
  /** Texts for Cedar's `decimal()`. */
  readonly d: Readonly<Record<string, string>>;
  readonly b: Readonly<Record<string, boolean>>;
  /**
   * Values below arrays as sets of strings: strings under their pointer, texts of numbers and booleans under
   * `<pointer>:number` and `<pointer>:boolean`.
   */
  readonly l: Readonly<Record<string, readonly string[]>>;
  readonly paths: readonly string[];
  readonly nulls: readonly string[];
  /** False when anything was left out, rounded or cut. */
  readonly lossless: boolean;
}

const maxLeaves = 512;
const maxBytes = 64 * 1024;
const maxStringChars = 8_192;

export function fillBags(leaves: readonly Leaf[]): Bags {
  const filler = new BagFiller();
  for (const leaf of leaves) filler.add(leaf);
  return filler.bags();
}

class BagFiller {
  private readonly s: Record<string, string> = {};
  private readonly n: Record<string, number> = {};
  private readonly d: Record<string, string> = {};
  private readonly b: Record<string, boolean> = {};
  private readonly l = new Map<string, Set<string>>();
  private readonly paths = new Set<string>();
  private readonly nulls = new Set<string>();
  private lossless = true;
  private leaves = 0;
  private bytes = 0;

  add(leaf: Leaf): void {
    const pointer = this.wellFormed(leaf.pointer);
    const text = this.wellFormed(this.cut(leaf.text));
    this.leaves += 1;
    this.bytes += Buffer.byteLength(pointer) + Buffer.byteLength(text);
    if (this.leaves > maxLeaves || this.bytes > maxBytes) {
      this.lossless = false;
      return;
    }
    this.paths.add(pointer);
    this.put({ ...leaf, pointer, text });
  }

  bags(): Bags {
    const { s, n, d, b, lossless } = this;
    const l = Object.fromEntries([...this.l].map(([pointer, values]) => [pointer, [...values]]));
    return { s, n, d, b, l, paths: [...this.paths], nulls: [...this.nulls], lossless };
  }

  private put(leaf: Leaf): void {
    switch (leaf.kind) {
      case 'string':
        if (leaf.repeated) this.putInSet(leaf.pointer, leaf.text);
        else this.s[leaf.pointer] = leaf.text;
        return;
      case 'number':
        this.putNumber(leaf);
        return;
      case 'boolean':
        if (leaf.repeated) this.putInSet(`${leaf.pointer}:boolean`, leaf.text);
        else this.b[leaf.pointer] = leaf.text === 'true';
        return;
      case 'null':
        this.nulls.add(leaf.pointer);
        return;
      case 'empty':
        return;
    }
  }

  private putNumber(leaf: Leaf): void {
    const number = cedarNumber(leaf.text);
    if (!number.exact) {
      this.lossless = false;
      return;
    }
    const canonical = number.long?.toString() ?? number.decimal ?? leaf.text;
    if (leaf.repeated) {
      this.putInSet(`${leaf.pointer}:number`, canonical);
      return;
    }
    if (number.long !== undefined) this.n[leaf.pointer] = number.long;
    if (number.decimal !== undefined) this.d[leaf.pointer] = number.decimal;
  }

  private putInSet(pointer: string, value: string): void {
    const values = this.l.get(pointer);
    if (values === undefined) this.l.set(pointer, new Set([value]));
    else values.add(value);
  }

  /** A lone surrogate cannot enter Cedar. */
  private wellFormed(text: string): string {
    if (isWellFormed(text)) return text;
    this.lossless = false;
    return toWellFormed(text);
  }

  private cut(text: string): string {
    if (text.length <= maxStringChars) return text;
    this.lossless = false;
    return text.slice(0, maxStringChars);
  }
}
