import type { JsonText } from '@uar/json-text';
import { z } from 'zod';
import type { FoundTask, Task, Tasks } from '../../../domain/task/tasks.js';
import { emptyResult, RpcError, unavailableError } from '../calls/call-result.js';
import { refuse } from '../http/refuse.js';
import type { McpRequest } from '../http/request.js';
import { rpcCodes } from '../rpc-codes.js';
import { complete, replyText } from '../stateless/answers.js';
import type { StatelessRequest } from '../stateless/envelope.js';
import { readBrought } from '../stateless/rounds/brought.js';
import { replyOf } from '../stateless/request-stream.js';
import { needsTasks, type TaskCalls } from './task-calls.js';
import { detailedTask } from './task-text.js';

interface TaskParts {
  readonly tasks: Tasks;
  readonly calls: Pick<TaskCalls, 'readerOf'>;
}

const Named = z.looseObject({ taskId: z.string() });
const Update = Named.extend({ inputResponses: z.looseObject({}) });

/** `tasks/get`, `tasks/update` and `tasks/cancel` (SEP-2663), at whichever gateway their client comes to. */
export class StatelessTasks {
  constructor(private readonly parts: TaskParts) {}

  /** False: none of these methods. */
  async answer({ caller, response }: McpRequest, asked: StatelessRequest): Promise<boolean> {
    const method = this.methods.get(asked.method);
    if (method === undefined) return false;
    if (!asked.takesTasks) {
      refuse(response, { status: 400, why: needsTasks, id: asked.id });
      return true;
    }
    const reply = await replyOf(method(caller, asked));
    response.writeHead(200, { 'content-type': 'application/json' }).end(replyText(asked, reply));
    return true;
  }

  private readonly methods: ReadonlyMap<
    string,
    (caller: McpRequest['caller'], asked: StatelessRequest) => Promise<JsonText>
  > = new Map([
    ['tasks/get', (caller, asked) => this.get(caller, asked)],
    ['tasks/update', (caller, asked) => this.update(caller, asked)],
    ['tasks/cancel', (caller, asked) => this.cancel(caller, asked)],
  ]);

  private async get(caller: McpRequest['caller'], asked: StatelessRequest): Promise<JsonText> {
    const task = known(await this.parts.tasks.read(caller, taskIdOf(asked.params)));
    return detailedTask(task, this.parts.calls.readerOf(asked));
  }

  /** Answers to what is asked no more, or to nothing, are nobody's; what it says of an approval is no vote (ADR 33). */
  private async update(caller: McpRequest['caller'], asked: StatelessRequest): Promise<JsonText> {
    const update = Update.safeParse(asked.params);
    if (!update.success)
      throw new RpcError(
        rpcCodes.invalidParams,
        'tasks/update needs a taskId, and objects as inputResponses',
      );
    const { responses } = readBrought(asked);
    known(await this.parts.tasks.answer(caller, update.data.taskId, responses));
    return complete(emptyResult);
  }

  private async cancel(caller: McpRequest['caller'], { params }: StatelessRequest): Promise<JsonText> {
    known(await this.parts.tasks.cancel(caller, taskIdOf(params)));
    return complete(emptyResult);
  }
}

function taskIdOf(params: unknown): string {
  const named = Named.safeParse(params);
  if (!named.success) throw new RpcError(rpcCodes.invalidParams, 'a taskId is missing');
  return named.data.taskId;
}

function known(found: FoundTask): Task {
  switch (found.kind) {
    case 'found':
      return found;
    case 'not_found':
      throw new RpcError(rpcCodes.invalidParams, 'there is no such task');
    case 'unavailable':
      throw unavailableError();
  }
}
