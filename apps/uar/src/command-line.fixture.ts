import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { runCommandLine } from './program.js';

export interface CommandEnd {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command line in a folder, with nothing of this process's environment. */
export async function uarIn(
  folder: string,
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CommandEnd> {
  let out = '';
  let err = '';
  const code = await runCommandLine(argv, {
    env,
    cwd: folder,
    out: (text) => (out += text),
    err: (text) => (err += text),
  });
  return { code, out, err };
}

export interface AskedRequest {
  readonly method: string;
  readonly url: string;
  readonly body: string;
  readonly authorization: string | undefined;
}

export interface PlannedAnswer {
  readonly status: number;
  /** A text is sent as it is, anything else as JSON. */
  readonly body: unknown;
  readonly location?: string;
}

/** Stands where a gateway would: remembers what it is asked and answers as planned. */
export interface StandIn {
  readonly url: string;
  readonly requests: AskedRequest[];
  answer(path: string): PlannedAnswer;
  close(): Promise<void>;
}

export async function startStandIn(): Promise<StandIn> {
  const requests: AskedRequest[] = [];
  const server = createServer((request, response) => {
    void heard(request).then((asked) => {
      requests.push(asked);
      const { status, body, location } = standIn.answer(asked.url);
      response.writeHead(status, location === undefined ? {} : { location });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const standIn: StandIn = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    answer: () => ({ status: 404, body: { error: { code: 'not_found', message: 'nothing here' } } }),
    async close() {
      server.close();
      await once(server, 'close');
    },
  };
  return standIn;
}

async function heard(request: IncomingMessage): Promise<AskedRequest> {
  const { method = '', url = '', headers } = request;
  return { method, url, body: await textOf(request), authorization: headers.authorization };
}
