import type { Gateway } from '../../http-spec/gateway.fixture.js';
import { Listening } from '../listening.fixture.js';
import { type RawAnswer, RawClient } from '../raw-client.fixture.js';

export const revision = '2026-07-28';

export const metaOf = (capabilities: object = {}) => ({
  'io.modelcontextprotocol/protocolVersion': revision,
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': capabilities,
});

interface Wanted {
  readonly id?: string | number;
  readonly meta?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What `Mcp-Name` repeats. */
const named: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

/** A client of revision 2026-07-28 that sends what a spec wants sent. */
export class StatelessClient {
  private readonly raw: RawClient;

  constructor(
    gateway: Gateway,
    private readonly options: { path?: string; token?: string; capabilities?: object } = {},
  ) {
    this.raw = new RawClient(gateway, options);
  }

  send(message: unknown, headers: Readonly<Record<string, string>>): Promise<RawAnswer> {
    return this.raw.post(message, headers);
  }

  request(method: string, params: Record<string, unknown> = {}, wanted: Wanted = {}): Promise<RawAnswer> {
    const { message, headers } = this.written(method, params, wanted);
    return this.raw.post(message, headers);
  }

  call(name: string, args: object = {}, more: object = {}, wanted: Wanted = {}): Promise<RawAnswer> {
    return this.request('tools/call', { name, arguments: args, ...more }, wanted);
  }

  /** A stream that is read as it comes. */
  open(method: string, params: Record<string, unknown>, wanted: Wanted = {}): Promise<Listening> {
    return Listening.open(this.raw, { method: 'POST', ...this.written(method, params, wanted) });
  }

  /** Sends it, and gives what closes its connection. */
  abortable(method: string, params: Record<string, unknown>): () => void {
    const abort = new AbortController();
    const sent = this.raw.begin('POST', { ...this.written(method, params, {}), signal: abort.signal });
    sent.catch(() => undefined);
    return () => abort.abort();
  }

  private written(method: string, params: Record<string, unknown>, { id = 1, meta, headers }: Wanted) {
    const name = params[named[method] ?? ''];
    return {
      message: {
        jsonrpc: '2.0',
        id,
        method,
        params: { ...params, _meta: { ...metaOf(this.options.capabilities), ...meta } },
      },
      headers: {
        'mcp-protocol-version': revision,
        'mcp-method': method,
        ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
        ...headers,
      },
    };
  }
}
