import type { CedarQuestion, Engine } from '../cedar/cedar.js';
import type { PolicyTexts } from './policy-set.js';

/** What Cedar itself says of texts. Messages are Cedar's own. */
export interface Inspection {
  readonly schemaProblem?: string;
  /** JSON form per policy id, or why there is none. */
  readonly policies: Readonly<Record<string, { readonly json: unknown } | { readonly broken: string }>>;
  /** Strict validation: errors and warnings alike. */
  readonly findings: readonly { readonly policy: string; readonly message: string }[];
}

export type Tried<T> =
  { readonly kind: 'done'; readonly value: T } | { readonly kind: 'failed'; readonly message: string };

export interface Installable extends PolicyTexts {
  readonly version: string;
  readonly warmUp: readonly CedarQuestion[];
}

/** The spare instance of the engine: whatever happens to it there, nobody's decision is disturbed. */
export interface Laboratory {
  inspect(texts: PolicyTexts): Promise<Tried<Inspection>>;
  /** Puts a set there, to be asked through `engine` alone. */
  install(set: Installable): Promise<Tried<void>>;
  readonly engine: Engine;
}

/** Where sets that passed are put to work. */
export interface Stage {
  /** Exclusive use of the spare instance. */
  rehearse<T>(work: (laboratory: Laboratory) => Promise<T>): Promise<Tried<T>>;
  /** From its end on, every one of these sets can be asked; others are retired. */
  publish(sets: readonly Installable[]): Promise<Tried<void>>;
}
