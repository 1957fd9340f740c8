import { createHash } from 'node:crypto';
import type { Engine, EngineLoss, QuestionBatch, RawAnswer } from '../../domain/cedar/cedar.js';
import type { Inspection, Installable, Laboratory, Tried } from '../../domain/policy/laboratory.js';
import type { PolicyTexts } from '../../domain/policy/policy-set.js';
import type { EngineLimits } from './engine-limits.js';
import type { Seat, SeatResult } from './seat.js';
import type { WorkerTask } from './worker/worker-protocol.js';

/** The instance that serves nobody, lent out. */
export class SpareInstance implements Laboratory {
  readonly engine: Engine;

  constructor(
    private readonly seat: Seat,
    private readonly limits: EngineLimits,
    private readonly isPublished: (version: string) => boolean,
  ) {
    this.engine = {
      ask: async (batch) => {
        const result = await seat.run({ op: 'ask', ...batch }, limits.loadMs);
        return result.kind === 'answers' ? result.answers : lost(batch, 'engine_unavailable');
      },
    };
  }

  async inspect(texts: PolicyTexts): Promise<Tried<Inspection>> {
    const { schema, policies } = texts;
    const result = await this.seat.run({ op: 'inspect', schema, policies }, this.limits.loadMs);
    if (result.kind === 'inspected') return { kind: 'done', value: result.inspection };
    return { kind: 'failed', message: problemOf(result) };
  }

  async install(set: Installable): Promise<Tried<void>> {
    const message = await installOn(this.seat, set, this.limits.loadMs);
    return message === undefined ? { kind: 'done', value: undefined } : { kind: 'failed', message };
  }

  async remove(version: string): Promise<void> {
    if (this.isPublished(version) || !this.seat.installed.delete(version)) return;
    await this.seat.run({ op: 'retire', versions: [version] }, this.limits.loadMs);
  }
}

export async function installOn(seat: Seat, set: Installable, limitMs: number): Promise<string | undefined> {
  if (seat.installed.has(set.version)) return undefined;
  const schemaName = createHash('sha256').update(set.schema).digest('hex');
  const { version, schema, policies, warmUp, slices } = set;
  const task: WorkerTask = { op: 'install', version, schemaName, schema, policies, warmUp, slices };
  const result = await seat.run(task, limitMs);
  if (result.kind !== 'done') return problemOf(result);
  seat.installed.add(version);
  return undefined;
}

function problemOf(result: SeatResult): string {
  switch (result.kind) {
    case 'failed':
      return `the engine refused: ${result.message}`;
    case 'timed_out':
      return 'the engine did not end in time';
    case 'gone':
      return 'the instance of the engine ended';
    case 'answers':
    case 'inspected':
    case 'done':
      return 'the engine answered something else';
  }
}

export function lost(batch: QuestionBatch, cause: EngineLoss): readonly RawAnswer[] {
  return batch.questions.map(() => ({ kind: 'lost', cause }));
}
