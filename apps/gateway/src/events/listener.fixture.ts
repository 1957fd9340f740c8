import { request, type IncomingMessage } from 'node:http';

export interface HeardEvent {
  readonly id: string | undefined;
  readonly name: string;
  readonly data: { readonly [member: string]: never } & {
    readonly type: string;
    readonly call_id?: string;
    readonly data: { readonly [member: string]: unknown };
  };
}

/** A client of server-sent events that reads as fast as it can, or not at all. */
export class Listener {
  readonly events: HeardEvent[] = [];
  comments = 0;
  isOver = false;
  private rest = '';

  private constructor(readonly response: IncomingMessage) {
    response.setEncoding('utf8');
    response.on('close', () => (this.isOver = true));
    response.on('error', () => (this.isOver = true));
  }

  static open(
    url: string,
    token: string,
    { lastEventId, reads = true }: { lastEventId?: string; reads?: boolean } = {},
  ): Promise<Listener> {
    return new Promise((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${token}`,
        accept: 'text/event-stream',
        ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
      };
      const sent = request(url, { headers, agent: false }, (response) => {
        const listener = new Listener(response);
        if (reads) response.on('data', (chunk: string) => listener.hear(chunk));
        resolve(listener);
      });
      sent.on('error', reject);
      sent.end();
    });
  }

  get status(): number | undefined {
    return this.response.statusCode;
  }

  get types(): string[] {
    return this.events.map(({ name }) => name);
  }

  get ids(): (string | undefined)[] {
    return this.events.map(({ id }) => id);
  }

  /** Begins to read what it let wait. */
  read(): void {
    this.response.on('data', (chunk: string) => this.hear(chunk));
  }

  close(): void {
    this.response.destroy();
  }

  private hear(chunk: string): void {
    const blocks = (this.rest + chunk).split('\n\n');
    this.rest = blocks.pop() ?? '';
    for (const block of blocks) this.hearBlock(block.split('\n'));
  }

  private hearBlock(lines: readonly string[]): void {
    const field = (name: string) =>
      lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
    if (lines[0]?.startsWith(':')) this.comments += 1;
    const data = lines.filter((line) => line.startsWith('data: ')).map((line) => line.slice(6));
    if (data.length === 0) return;
    this.events.push({
      id: field('id'),
      name: field('event') ?? 'message',
      data: JSON.parse(data.join('\n')),
    });
  }
}
