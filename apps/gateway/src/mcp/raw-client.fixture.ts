import type { Gateway } from '../http-spec/gateway.fixture.js';

/** One server-sent event, its fields as they were sent; `data` is absent where there was no such field. */
export interface SentEvent {
  readonly id?: string;
  readonly event?: string;
  readonly retry?: string;
  readonly data?: string;
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly events: readonly SentEvent[];
  /** JSON-RPC messages of the events, or the body. */
  // The specs look into messages of every shape.
  readonly messages: readonly Message[];
}

export interface Message {
  readonly [member: string]: Message;
}

export interface RawOptions {
  readonly path?: string;
  readonly revision?: string;
  readonly token?: string;
  readonly capabilities?: object;
}

const both = 'application/json, text/event-stream';

/** A client that sends what a spec wants sent, well-formed or not. */
export class RawClient {
  session: string | undefined;

  constructor(
    readonly gateway: Gateway,
    readonly options: RawOptions = {},
  ) {}

  static async open(gateway: Gateway, options: RawOptions = {}): Promise<RawClient> {
    const client = new RawClient(gateway, options);
    const opened = await client.initialize();
    if (opened.status !== 200) throw new Error(`initialize: ${opened.status} ${opened.text}`);
    return client;
  }

  async initialize(): Promise<RawAnswer> {
    const { revision = '2025-11-25', capabilities = {} } = this.options;
    const params = { protocolVersion: revision, capabilities, clientInfo: { name: 'raw', version: '1' } };
    const opened = await this.post({ jsonrpc: '2.0', id: 'init', method: 'initialize', params });
    this.session = opened.headers.get('mcp-session-id') ?? undefined;
    return opened;
  }

  /** A text or bytes are sent as they are. */
  async post(message: unknown, headers: Readonly<Record<string, string>> = {}): Promise<RawAnswer> {
    return read(await this.begin('POST', { message, headers }));
  }

  request(method: string, params: object = {}, id: string | number = 1): Promise<RawAnswer> {
    return this.post({ jsonrpc: '2.0', id, method, params });
  }

  call(name: string, args: object = {}, id: string | number = 1): Promise<RawAnswer> {
    return this.request('tools/call', { name, arguments: args }, id);
  }

  async send(method: 'GET' | 'DELETE', headers: Readonly<Record<string, string>> = {}): Promise<RawAnswer> {
    return read(await this.begin(method, { headers }));
  }

  /** Resolves when the head of the answer is there; its body is the caller's to read. */
  begin(
    method: string,
    {
      message,
      headers = {},
      signal,
    }: {
      readonly message?: unknown;
      readonly headers?: Readonly<Record<string, string>>;
      readonly signal?: AbortSignal;
    } = {},
  ): Promise<Response> {
    const { path = '/mcp', token = this.gateway.token() } = this.options;
    const sent: Record<string, string> = {
      accept: both,
      authorization: `Bearer ${token}`,
      ...(message === undefined ? {} : { 'content-type': 'application/json' }),
      ...(this.session === undefined ? {} : { 'mcp-session-id': this.session }),
      ...headers,
    };
    return fetch(`${this.gateway.url}${path}`, {
      method,
      headers: sent,
      ...(message === undefined ? {} : { body: bodyOf(message) }),
      ...(signal === undefined ? {} : { signal }),
    });
  }
}

function bodyOf(message: unknown): string | Uint8Array<ArrayBuffer> {
  if (typeof message === 'string') return message;
  return message instanceof Uint8Array ? new Uint8Array(message) : JSON.stringify(message);
}

async function read(response: Response): Promise<RawAnswer> {
  const { status, headers } = response;
  const text = await response.text();
  const type = headers.get('content-type') ?? '';
  const events = type.startsWith('text/event-stream') ? eventsOf(text) : [];
  const texts = type.startsWith('application/json') ? [text] : events.flatMap(({ data }) => data || []);
  return { status, headers, text, events, messages: texts.map((it) => JSON.parse(it)) };
}

/** The events of a stream that is whole (WHATWG HTML 9.2.6). */
export function eventsOf(text: string): SentEvent[] {
  const blocks = text.split('\n\n').filter((block) => block !== '' && !block.startsWith(':'));
  return blocks.map((block) => {
    const fields: Record<string, string> = {};
    for (const line of block.split('\n')) {
      const colon = line.indexOf(':');
      const name = line.slice(0, colon);
      const value = line.slice(colon + 1).replace(/^ /, '');
      fields[name] = fields[name] === undefined ? value : `${fields[name]}\n${value}`;
    }
    return fields;
  });
}
