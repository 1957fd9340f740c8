/** A promise that somebody else resolves. */
export class Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;

  constructor() {
    let settle: ((value: T) => void) | undefined;
    this.promise = new Promise((resolve) => {
      settle = resolve;
    });
    this.resolve = (value) => settle?.(value);
  }
}
