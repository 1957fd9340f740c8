import type { Seat, SeatResult } from './seat.js';
import type { WorkerTask } from './worker/worker-protocol.js';

export interface PassBy {
  /** Longest evaluation. */
  readonly limitMs: number;
  /** How long a task waits behind others before another instance is asked too. */
  readonly afterMs: number;
  /** An instance that has nothing to do now. */
  readonly idle: () => Seat | undefined;
}

/**
 * Runs a task on one instance, and where it is still behind another task after a while, on an idle one as well: whatever holds
 * up the first disturbs nobody else. Evaluation has no effects, so the first answer counts. A task that runs is never given
 * to a second instance, because it may be the one that does not end.
 */
export async function runPassingBy(seat: Seat, task: WorkerTask, how: PassBy): Promise<SeatResult> {
  const { result, hasStarted } = seat.submit(task, how.limitMs);
  if (hasStarted()) return result;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, how.afterMs, undefined);
  });
  const inTime = await Promise.race([result, late]);
  clearTimeout(timer);
  if (inTime !== undefined || hasStarted()) return result;
  const other = how.idle();
  return other === undefined ? result : firstAnswer(result, other.run(task, how.limitMs));
}

/** The first result that is an answer; where neither is one, that of the first instance. */
async function firstAnswer(one: Promise<SeatResult>, two: Promise<SeatResult>): Promise<SeatResult> {
  const first = await Promise.race([one, two]);
  if (first.kind === 'answers') return first;
  const [ofOne, ofTwo] = await Promise.all([one, two]);
  return ofTwo.kind === 'answers' ? ofTwo : ofOne;
}
