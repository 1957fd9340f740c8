import type { JsonText } from '@uar/json-text';
import type { Clock } from '../../../domain/call/ports.js';
import type { CallHandle } from '../../../domain/call/proposed-call.js';
import type { Execution } from '../../../domain/execute/execution.js';
import type { Attention } from '../stateless/rounds/asked-clients.js';
import { createdTask, type TaskReader } from './task-text.js';

interface TurnParts {
  readonly execution: Pick<Execution, 'leave'>;
  readonly clock: Pick<Clock, 'after'>;
  readonly reader: TaskReader;
  /** Told once, where the call has become a task. */
  became(task: JsonText): void;
}

interface TurningCall {
  readonly handle: CallHandle;
  readonly attention: Attention | undefined;
  /** Milliseconds from its decision after which it becomes a task; undefined: only where it is told to. */
  readonly afterMs: number | undefined;
}

/** The turn of one call into a task, while its request is open. A call that cannot be kept stays with its request. */
export class TaskTurn {
  private call: TurningCall | undefined;
  private isOver = false;
  private stopTimer = (): void => undefined;

  constructor(private readonly parts: TurnParts) {}

  take(call: TurningCall): void {
    this.call = call;
    const { handle, afterMs } = call;
    void handle.ended.then(() => this.stop());
    if (afterMs === undefined) return;
    void handle.decided.then(() => {
      if (!this.isOver) this.stopTimer = this.parts.clock.after(afterMs, () => this.begin());
    });
  }

  begin(): void {
    if (this.isOver || this.call === undefined) return;
    this.stop();
    void this.become(this.call);
  }

  /** Its request has another answer. */
  stop(): void {
    this.isOver = true;
    this.stopTimer();
  }

  private async become({ handle, attention }: TurningCall): Promise<void> {
    attention?.pause();
    const { state, isKept } = await this.parts.execution.leave(handle);
    if (state.kind === 'pending' && isKept) return this.parts.became(createdTask(state, this.parts.reader));
    attention?.resume();
  }
}
