import type { CedarQuestion, Engine } from '../cedar/cedar.js';
import type { PolicyTexts } from './policy-set.js';
import type { Slice } from './slices.js';

/** One thing Cedar says about a text, in its own words. */
export interface Finding {
  readonly message: string;
  /** `did you mean ...?`, `try ...`. */
  readonly help?: string;
  /** What would have been right where a parser stumbled. */
  readonly label?: string;
  /** Bytes of UTF-8 from the start of the text. */
  readonly start?: number;
  readonly end?: number;
  readonly isWarning: boolean;
}

/** What Cedar itself says of texts. */
export interface Inspection {
  readonly schemaProblem?: Finding;
  /** JSON form per policy id, or why there is none. */
  readonly policies: Readonly<Record<string, { readonly json: unknown } | { readonly broken: Finding }>>;
  /** Strict validation of the policies that could be parsed; `policy` is empty where it concerns none of them. */
  readonly findings: readonly (Finding & { readonly policy: string })[];
}

export type Tried<T> =
  { readonly kind: 'done'; readonly value: T } | { readonly kind: 'failed'; readonly message: string };

export interface Installable extends PolicyTexts {
  readonly version: string;
  readonly warmUp: readonly CedarQuestion[];
  /** What decides the actions that are asked most; others, and all where there is none, are asked of the whole set. */
  readonly slices: readonly Slice[];
}

/** The spare instance of the engine: whatever happens to it there, nobody's decision is disturbed. */
export interface Laboratory {
  inspect(texts: PolicyTexts): Promise<Tried<Inspection>>;
  /** Puts a set there, to be asked through `engine` alone. */
  install(set: Installable): Promise<Tried<void>>;
  /** Takes a set out again, unless it is one that is published. */
  remove(version: string): Promise<void>;
  readonly engine: Engine;
}

/** Where sets that passed are put to work. */
export interface Stage {
  /** Exclusive use of the spare instance. */
  rehearse<T>(work: (laboratory: Laboratory) => Promise<T>): Promise<Tried<T>>;
  /** From its end on, every one of these sets can be asked; others are retired. */
  publish(sets: readonly Installable[]): Promise<Tried<void>>;
}
