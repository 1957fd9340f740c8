import { parentPort, receiveMessageOnPort, workerData, type MessagePort } from 'node:worker_threads';
import { verifyLedgerFile } from '../chain/verify-file.js';
import type { Verifications } from '../chain/verify-held.js';
import type { Request } from './link.js';
import { asUnavailable } from '../failure.js';
import type { Engine } from '../engine.js';
import { openPostgresEngine } from '../postgres/engine.js';
import { verifyPostgres } from '../postgres/verify.js';
import { openEngine } from '../sqlite/engine.js';
import { groupSize } from '../operations/group-commit.js';
import type { FromWorker, ToWorker, WorkerTask } from './worker-messages.js';

function serve(port: MessagePort, engine: Engine): void {
  const queue: Request[] = [];
  let closing = false;
  const take = (message: ToWorker): void => {
    if (message.kind === 'close') closing = true;
    else queue.push(...message.requests);
  };
  port.on('message', (message: ToWorker) => {
    take(message);
    while (queue.length > 0) {
      // What arrived during the last commit joins the next one.
      for (let more = receiveMessageOnPort(port); more; more = receiveMessageOnPort(port)) take(more.message);
      send(port, { kind: 'responses', responses: engine.run(queue.splice(0, groupSize(queue))) });
    }
    if (!closing) return;
    engine.close();
    port.close();
  });
}

function send(port: MessagePort, message: FromWorker): void {
  port.postMessage(message);
}

type Task<K extends WorkerTask['kind']> = Extract<WorkerTask, { kind: K }>;

function open(options: Task<'serve'>['options']): Engine {
  return 'url' in options ? openPostgresEngine(options) : openEngine(options);
}

function verify(options: Task<'verify'>['options']): Verifications {
  return 'url' in options ? verifyPostgres(options) : verifyLedgerFile(options);
}

function start(port: MessagePort, task: WorkerTask): void {
  try {
    if (task.kind === 'verify') {
      send(port, { kind: 'verified', verifications: verify(task.options) });
      return;
    }
    const engine = open(task.options);
    send(port, { kind: 'ready' });
    serve(port, engine);
  } catch (error) {
    const known = asUnavailable(error);
    const message = error instanceof Error ? error.message : String(error);
    send(port, { kind: 'refused', cause: known?.kind ?? 'bug', message: known?.message ?? message });
  }
}

if (parentPort) start(parentPort, workerData);
