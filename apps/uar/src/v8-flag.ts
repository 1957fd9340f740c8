import { setFlagsFromString } from 'node:v8';

// Node 20 and 22 abort when hot JavaScript that inlined a wasm call is deoptimised during it. The flag belongs on the
// command line; this catches a start without it, as long as nothing has loaded wasm yet.
setFlagsFromString('--no-turbo-inline-js-wasm-calls');
