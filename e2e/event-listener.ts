import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { eventually } from './client.js';

export interface StreamedEvent {
  readonly id: string | undefined;
  readonly name: string;
  readonly body: {
    readonly seq: number;
    readonly type: string;
    readonly call_id?: string;
    readonly run_id?: string;
    readonly data: Readonly<Record<string, unknown>>;
  };
}

/** A client of server-sent events (WHATWG HTML 9.2). */
export class EventListener {
  readonly events: StreamedEvent[] = [];
  isOver = false;
  private rest = '';

  private constructor(
    readonly response: IncomingMessage,
    private readonly sent: ClientRequest,
  ) {
    response.setEncoding('utf8');
    response.on('error', () => undefined);
    response.on('close', () => (this.isOver = true));
  }

  /** `reads: false`: takes nothing from its socket. */
  static open(
    url: string,
    options: { token?: string; lastEventId?: string; reads?: boolean } = {},
  ): Promise<EventListener> {
    const { token, lastEventId, reads = true } = options;
    return new Promise((resolve, reject) => {
      const headers = {
        accept: 'text/event-stream',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
      };
      const sent = request(url, { headers, agent: false }, (response) => {
        const listener = new EventListener(response, sent);
        if (reads) response.on('data', (chunk: string) => listener.take(chunk));
        resolve(listener);
      });
      sent.on('error', reject);
      sent.end();
    });
  }

  get names(): string[] {
    return this.events.map(({ name }) => name);
  }

  get ids(): number[] {
    return this.events.map(({ id }) => Number(id));
  }

  /** The first event of a name that fits. */
  heard(name: string, fits: (event: StreamedEvent) => boolean = () => true): Promise<StreamedEvent> {
    return eventually(() => Promise.resolve(this.events.find((event) => event.name === name && fits(event))));
  }

  ended(): Promise<true> {
    return eventually(() => Promise.resolve(this.isOver ? true : undefined));
  }

  close(): void {
    this.sent.destroy();
  }

  private take(chunk: string): void {
    const blocks = (this.rest + chunk).split('\n\n');
    this.rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const lines = block.split('\n');
      const of = (field: string) =>
        lines.filter((line) => line.startsWith(`${field}: `)).map((line) => line.slice(field.length + 2));
      const data = of('data').join('\n');
      if (data !== '')
        this.events.push({ id: of('id')[0], name: of('event')[0] ?? 'message', body: JSON.parse(data) });
    }
  }
}
