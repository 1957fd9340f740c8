import type { ServerResponse } from 'node:http';
import { HttpUpstream, json, type HttpCall, type Reply } from '../http-server.fixture.js';

const discovery = {
  supportedVersions: ['2026-07-28'],
  capabilities: { tools: {} },
  resultType: 'complete',
};

/** A server of MCP 2026-07-28 over HTTP, written by hand so that it can misbehave; of sessions it knows nothing. */
export class ScriptedStateless {
  /** Runs before everything else; true: it has answered. */
  intercept: (call: HttpCall, response: ServerResponse) => boolean = () => false;
  discovery: object = discovery;
  readonly tools = new Map<string, Reply>();
  /** Input schemas by name; `{ type: 'object' }` where there is none. */
  readonly schemas = new Map<string, object>();

  private constructor(readonly upstream: HttpUpstream) {
    upstream.intercept = (call, response) => {
      if (!this.intercept(call, response)) this.answer(call, response);
      return true;
    };
  }

  static async start(port = 0): Promise<ScriptedStateless> {
    return new ScriptedStateless(await HttpUpstream.start(port));
  }

  /** Answers of the tool, one after the other; the last one again and again. */
  says(name: string, ...results: readonly string[]): void {
    let at = 0;
    this.tools.set(name, (call, response) => {
      json(call, response, results[Math.min(at, results.length - 1)] ?? '');
      at += 1;
    });
  }

  callsOf(method: string): HttpCall[] {
    return this.upstream.calls.filter(({ message }) => message.method === method);
  }

  private answer(call: HttpCall, response: ServerResponse): void {
    switch (call.message.method) {
      case 'server/discover':
        return json(call, response, JSON.stringify(this.discovery));
      case 'tools/list': {
        const tools = [...this.tools.keys()].map((name) => ({
          ...{ name, inputSchema: this.schemas.get(name) ?? { type: 'object' } },
        }));
        return json(call, response, JSON.stringify({ resultType: 'complete', tools }));
      }
      case 'tools/call':
        return this.tools.get(call.message.params?.name ?? '')?.(call, response);
      case undefined:
        return void response.writeHead(405).end();
      default:
        return rpcError(call, response, { status: 404, code: -32_601 });
    }
  }
}

export function rpcError(
  { message: { id = null } }: { readonly message: { readonly id?: number | null } },
  response: ServerResponse,
  { status, ...error }: { status: number; code: number; message?: string; data?: object },
): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id, error: { message: 'no', ...error } }));
}
