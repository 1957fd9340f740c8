/** The little of the WebAssembly JavaScript interface that we use; Node's own types leave it to the DOM library. */
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array);
  }
  function compile(bytes: Uint8Array): Promise<Module>;
  interface Memory {
    readonly buffer: ArrayBuffer;
  }
}
