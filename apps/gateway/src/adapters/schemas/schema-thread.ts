import { TimedWorker, startWorker } from '@uar/threads';
import type { Checked, Unavailable } from '../../domain/call/ports.js';
import type { SchemaCheck } from './compiled-schemas.js';

/** Bounds inside the thread end a check long before; this is for what they do not know of. */
const checkMs = 5_000;
/** Loading its modules is no part of a check: on a busy machine it takes seconds. */
const startMs = 20_000;
const mostTries = 3;

const nothing: SchemaCheck = { digest: '', schemaText: undefined, argumentsJson: '{}' };

/** Checks by schemas that take long to compile, on a thread that is started when the first of them comes. */
export class SchemaThread {
  private worker: TimedWorker<SchemaCheck, Checked> | undefined;

  /** Unavailable where the thread is lost again and again: that says nothing about the tool. */
  async check(task: SchemaCheck): Promise<Checked | Unavailable> {
    for (let attempt = 0; attempt < mostTries; attempt += 1) {
      const ended = await this.living().run(task, checkMs);
      if (ended.kind === 'replied') return ended.reply;
      if (ended.kind === 'timed_out') return { kind: 'uncheckable', cause: 'schema_too_costly' };
    }
    return { kind: 'unavailable', cause: 'schema_thread_lost' };
  }

  async stop(): Promise<void> {
    await this.worker?.stop();
  }

  private living(): TimedWorker<SchemaCheck, Checked> {
    if (this.worker?.isAlive !== true) {
      const file = { beside: import.meta.url, name: 'schema-worker' };
      this.worker = new TimedWorker({ worker: startWorker(file, { name: 'schemas' }) });
      void this.worker.run(nothing, startMs);
    }
    return this.worker;
  }
}
