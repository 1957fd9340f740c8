import type { RawClient, SentEvent } from './raw-client.fixture.js';
import { eventsOf } from './raw-client.fixture.js';
import { until } from '../http-spec/gateway.fixture.js';

/** A stream that is read as it comes. */
export class Listening {
  text = '';
  isOver = false;
  private readonly abort = new AbortController();

  private constructor(
    readonly response: Response,
    abort: AbortController,
  ) {
    this.abort = abort;
    void this.read();
  }

  static async open(
    client: RawClient,
    options: { method?: string; message?: unknown; headers?: Record<string, string> } = {},
  ): Promise<Listening> {
    const abort = new AbortController();
    const { method = 'GET', ...rest } = options;
    return new Listening(await client.begin(method, { ...rest, signal: abort.signal }), abort);
  }

  get events(): readonly SentEvent[] {
    return eventsOf(this.text.slice(0, this.text.lastIndexOf('\n\n') + 2));
  }

  /** The data of events that have any, parsed. */
  get messages(): readonly Record<string, unknown>[] {
    return this.events.flatMap(({ data }) => (data ? [JSON.parse(data)] : []));
  }

  /** Without the news of tools that may follow any start. */
  get heard(): readonly Record<string, unknown>[] {
    return this.messages.filter(({ method }) => method !== 'notifications/tools/list_changed');
  }

  get lastId(): string {
    return this.events.flatMap(({ id }) => id ?? []).at(-1) ?? '';
  }

  async said(count: number): Promise<readonly Record<string, unknown>[]> {
    await until(() => this.messages.length >= count);
    return this.messages;
  }

  async hears(count: number): Promise<readonly Record<string, unknown>[]> {
    await until(() => this.heard.length >= count);
    return this.heard;
  }

  close(): void {
    this.abort.abort();
  }

  private async read(): Promise<void> {
    const decoder = new TextDecoder();
    try {
      for await (const chunk of this.response.body ?? [])
        this.text += decoder.decode(chunk, { stream: true });
    } catch {
      // Closed by either side.
    }
    this.isOver = true;
  }
}
