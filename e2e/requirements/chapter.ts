/** A promise of the product: what it says, and where it was made. Tests cite it by id (`keeps`). */
export interface Requirement {
  readonly text: string;
  readonly source: string;
}

/** Requirements of one chapter: their ids stay literal. */
export const chapter = <R extends Readonly<Record<string, Requirement>>>(all: R): R => all;
