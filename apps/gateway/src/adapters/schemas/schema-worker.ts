import { parentPort } from 'node:worker_threads';
import { CompiledSchemas, type SchemaCheck } from './compiled-schemas.js';

if (parentPort === null) throw new Error('runs as a worker thread only');
const port = parentPort;
const schemas = new CompiledSchemas();

port.on('message', ({ id, task }: { readonly id: number; readonly task: SchemaCheck }) => {
  port.postMessage({ id, reply: schemas.check(task) });
});
