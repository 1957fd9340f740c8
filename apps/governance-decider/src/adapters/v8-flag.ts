import { setFlagsFromString } from 'node:v8';

/**
 * Node 20 and 22 abort when hot JavaScript that inlined a call into Cedar is deoptimised during that call. Scripts and
 * images start node with this flag; set here it still comes before the first such call of a process that was not.
 */
setFlagsFromString('--no-turbo-inline-js-wasm-calls');
