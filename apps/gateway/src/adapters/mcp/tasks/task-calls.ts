import type { ApprovalView } from '@uar/contracts';
import type { JsonText } from '@uar/json-text';
import type { Catalog, Clock } from '../../../domain/call/ports.js';
import type { ProposedCall } from '../../../domain/call/proposed-call.js';
import type { EffectiveCatalog } from '../../../domain/catalog/effective-catalog.js';
import type { Execution } from '../../../domain/execute/execution.js';
import { readView } from '../../../domain/view/read-view.js';
import { pageRequest } from '../client/elicitations.js';
import { rpcCodes } from '../rpc-codes.js';
import type { StatelessRequest } from '../stateless/envelope.js';
import { tasksExtension } from '../stateless/meta-keys.js';
import type { TaskWish } from '../stateless/rounds/asked-again.js';
import { createdTask, type TaskReader } from './task-text.js';
import { TaskTurn } from './task-turn.js';

interface TaskCallParts {
  readonly catalog: Pick<Catalog, 'find'>;
  readonly effective: Pick<EffectiveCatalog, 'list'>;
  readonly execution: Pick<Execution, 'leave'>;
  readonly clock: Pick<Clock, 'after'>;
  /** Where people decide an approval. */
  readonly pageUrl: (approvalId: string) => string;
}

type CalledTool = Pick<ProposedCall, 'caller' | 'toolName'>;
type TaskClient = Pick<StatelessRequest, 'opensPages' | 'takesTasks'>;

/** What ends, or asks its client, sooner is answered in place, without a task. */
const patienceMs = 750;

/** The answer to a client that does not know tasks and cannot do without (MCP 2026-07-28, "Missing Required Capabilities"). */
export const needsTasks = {
  code: rpcCodes.missingCapability,
  message: `this needs a client with the extension ${tasksExtension}`,
  data: { requiredCapabilities: { extensions: { [tasksExtension]: {} } } },
};

/** Calls that become tasks of clients that know tasks: those of tools that say so, and those that wait for a human. */
export class TaskCalls {
  constructor(private readonly parts: TaskCallParts) {}

  /** A tool that the caller knows cannot be called without tasks. */
  async needsTasks({ caller, toolName }: CalledTool): Promise<boolean> {
    if (this.supportOf({ caller, toolName }) !== 'required') return false;
    const list = await this.parts.effective.list(caller);
    return list.kind === 'listed' && list.byName.has(toolName);
  }

  /** Of a client that knows tasks. `became` is told once, where the call has become one. */
  turn(asked: TaskClient, became: (task: JsonText) => void): TaskTurn | undefined {
    const { execution, clock } = this.parts;
    return asked.takesTasks
      ? new TaskTurn({ execution, clock, reader: this.readerOf(asked), became })
      : undefined;
  }

  /** Milliseconds after which a call of this tool becomes a task by itself. */
  patienceMs(call: CalledTool): number | undefined {
    return this.supportOf(call) === undefined ? undefined : patienceMs;
  }

  /** Of a client that comes back to its call. */
  wish(call: CalledTool, asked: TaskClient): TaskWish | undefined {
    if (!asked.takesTasks || this.supportOf(call) === undefined) return undefined;
    const reader = this.readerOf(asked);
    return { afterMs: patienceMs, written: (viewJson) => createdTask(readView(viewJson), reader) };
  }

  /** What a client can do for a task that it reads. */
  readerOf({ opensPages }: Pick<TaskClient, 'opensPages'>): TaskReader {
    const requestOf = ({ tool, approval_id }: ApprovalView): object =>
      pageRequest(this.parts.pageUrl(approval_id), tool);
    return { approvalRequest: (approval) => (opensPages ? requestOf(approval) : undefined) };
  }

  private supportOf({ caller: { principal }, toolName }: CalledTool) {
    return this.parts.catalog.find(principal.tenant, toolName)?.task_support;
  }
}
