import { TimedWorker, startWorker } from '@uar/threads';
import type { Checked } from '../../domain/call/ports.js';
import type { SchemaCheck } from './compiled-schemas.js';

/** Bounds inside the thread end a check long before; this is for what they do not know of. */
const checkMs = 5_000;
const mostTries = 3;

/** Checks by schemas that take long to compile, on a thread that is started when the first of them comes. */
export class SchemaThread {
  private worker: TimedWorker<SchemaCheck, Checked> | undefined;

  async check(task: SchemaCheck): Promise<Checked> {
    for (let attempt = 0; attempt < mostTries; attempt += 1) {
      const ended = await this.living().run(task, checkMs);
      if (ended.kind === 'replied') return ended.reply;
      if (ended.kind === 'timed_out') return { kind: 'uncheckable', cause: 'schema_too_costly' };
    }
    return { kind: 'uncheckable', cause: 'schema_thread_lost' };
  }

  async stop(): Promise<void> {
    await this.worker?.stop();
  }

  private living(): TimedWorker<SchemaCheck, Checked> {
    if (this.worker?.isAlive !== true) {
      const file = { beside: import.meta.url, name: 'schema-worker' };
      this.worker = new TimedWorker({ worker: startWorker(file, { name: 'schemas' }) });
    }
    return this.worker;
  }
}
