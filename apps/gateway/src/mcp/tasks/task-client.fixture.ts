import type { HostAnswer } from '@uar/contracts';
import { entry } from '../../domain/call-spec/entry.fixture.js';
import { Gateway, until } from '../../http-spec/gateway.fixture.js';
import type { Message, RawAnswer } from '../raw-client.fixture.js';
import { StatelessClient } from '../stateless/stateless-client.fixture.js';

export const tasksExtension = 'io.modelcontextprotocol/tasks';
export const knowsTasks = { extensions: { [tasksExtension]: {} } };

/** A client of revision 2026-07-28 that knows tasks, unless it declares otherwise. */
export class TaskClient {
  private readonly client: StatelessClient;

  constructor(gateway: Gateway, options: { path?: string; token?: string; capabilities?: object } = {}) {
    this.client = new StatelessClient(gateway, { capabilities: knowsTasks, ...options });
  }

  call(name: string, args: object = {}): Promise<RawAnswer> {
    return this.client.call(name, args);
  }

  /** The result of a call, which a task must be. */
  async begin(name: string, args: object = {}): Promise<Message> {
    const result = resultOf(await this.call(name, args));
    if (String(result['resultType']) !== 'task') throw new Error(`no task: ${JSON.stringify(result)}`);
    return result;
  }

  ask(method: string, params: Record<string, unknown>): Promise<RawAnswer> {
    return this.client.request(method, params);
  }

  async get(task: Message): Promise<Message> {
    return resultOf(await this.ask('tasks/get', { taskId: task['taskId'] }));
  }

  async cancel(task: Message): Promise<Message> {
    return resultOf(await this.ask('tasks/cancel', { taskId: task['taskId'] }));
  }

  /** As it ended. */
  async end(task: Message): Promise<Message> {
    let last: Message = {};
    await until(async () => {
      last = await this.get(task);
      return !['working', 'input_required'].includes(String(last['status']));
    });
    return last;
  }
}

export const resultOf = ({ messages }: RawAnswer): Message => messages.at(-1)?.['result'] ?? {};
export const errorOf = ({ messages }: RawAnswer): Message => messages.at(-1)?.['error'] ?? {};

/** Gateways with a tool whose calls last until the spec ends them, as tasks may (`job`) or must (`duty`). */
export class TaskWorld {
  private readonly open = new Map<string, (answer: HostAnswer) => void>();

  private constructor(readonly gateway: Gateway) {
    const { neighbours } = gateway;
    neighbours.run = ({ call_id }) => new Promise((resolve) => this.open.set(call_id, resolve));
    neighbours.onCancelled = (callId) => this.open.get(callId)?.({ kind: 'cancelled', dispatched: true });
  }

  /** Nobody waits for what still runs. */
  stop(): Promise<void> {
    for (const end of this.open.values()) end({ kind: 'timeout' });
    return this.gateway.stop();
  }

  static async start(): Promise<TaskWorld> {
    const gateway = await Gateway.start();
    gateway.neighbours.catalogChanged([
      entry('write', { capabilities: ['read', 'write'], risk: 3 }),
      { ...entry('job'), task_support: 'optional' },
      { ...entry('duty'), task_support: 'required' },
      { ...entry('secret_duty', { labels: ['secret'] }), task_support: 'required' },
    ]);
    await until(async () => (await gateway.ask('GET', '/api/tools/srv__duty')).status === 200);
    return new TaskWorld(gateway);
  }

  /** How the upstream answers a call that runs. */
  async finish(task: Message | string, answer: HostAnswer): Promise<void> {
    const callId = typeof task === 'string' ? task : String(task['taskId']);
    await until(() => this.open.has(callId));
    this.open.get(callId)?.(answer);
  }

  /** How it answers all that are begun from now on. */
  answerWith(answer: HostAnswer): void {
    this.gateway.neighbours.run = () => answer;
  }
}

export const ran = (result_json: string, is_error = false): HostAnswer => ({
  kind: 'ran',
  result_json,
  is_error,
});
