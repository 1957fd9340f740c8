import { CallId, type Caller } from '@uar/contracts';
import type { AttendedCalls, Deed } from '../execute/attended-calls.js';
import type { Unavailable } from '../call/ports.js';
import type { ParkedAsk } from '../client/parked-asks.js';
import { readView, type ReadView } from '../view/read-view.js';

export interface Task {
  readonly call: ReadView;
  /** What its upstream waits for. */
  readonly asks: readonly ParkedAsk[];
}

export type FoundTask =
  | ({ readonly kind: 'found' } & Task)
  /** No call of this caller in this run, or not any more. */
  | { readonly kind: 'not_found' }
  | Unavailable;

/** Calls as tasks of their client (MCP extension `io.modelcontextprotocol/tasks`): a task is a call, named by its id. */
export class Tasks {
  constructor(private readonly calls: AttendedCalls) {}

  read(caller: Caller, taskId: string): Promise<FoundTask> {
    return this.attend(caller, taskId, { kind: 'read' });
  }

  /** One that has ended stays as it ended. */
  cancel(caller: Caller, taskId: string): Promise<FoundTask> {
    return this.change(caller, taskId, { kind: 'cancel' });
  }

  /** Results as JSON text, by the key of what was asked. */
  answer(caller: Caller, taskId: string, byKey: ReadonlyMap<string, string>): Promise<FoundTask> {
    return this.change(caller, taskId, { kind: 'answer', by_key: Object.fromEntries(byKey) });
  }

  /** Nothing is done to a call before it is known to be of this run. */
  private async change(caller: Caller, taskId: string, deed: Deed): Promise<FoundTask> {
    const found = await this.read(caller, taskId);
    const isOpen = found.kind === 'found' && found.call.ended === undefined;
    return isOpen ? this.attend(caller, taskId, deed) : found;
  }

  private async attend(caller: Caller, taskId: string, deed: Deed): Promise<FoundTask> {
    const callId = CallId.safeParse(taskId);
    if (!callId.success) return { kind: 'not_found' };
    const attended = await this.calls.attend({ caller, callId: callId.data, deed });
    if (attended.kind !== 'found') return attended;
    const call = readView(attended.viewJson);
    return call.runId === caller.run_id
      ? { kind: 'found', call, asks: attended.asks }
      : { kind: 'not_found' };
  }
}
