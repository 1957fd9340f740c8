import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { Child } from '@uar/sandbox';
import { NotSent } from './not-sent.js';
import { decodeFrame, encodeFrame, problemMessage, type ResultForm } from './frames/frame.js';
import { LineReader } from './frames/line-reader.js';

export interface StdioTransportOptions {
  readonly child: Child;
  /** Longest line that is read. */
  readonly maxFrameBytes: number;
  readonly stopGraceMs: number;
}

/** MCP over the pipes of a child. What is no JSON-RPC on its stdout is counted and ignored (P4). */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  private readonly child: Child;
  private form: ResultForm = 'parsed';
  private noise = 0;
  private closed = false;

  constructor(private readonly options: StdioTransportOptions) {
    this.child = options.child;
  }

  /** Lines on stdout that were no JSON-RPC. */
  get noiseLines(): number {
    return this.noise;
  }

  start(): Promise<void> {
    const reader = new LineReader({
      maxBytes: this.options.maxFrameBytes,
      onLine: (line) => this.receive(line),
      onTooLong: ({ id, bytes }) => {
        if (id === undefined) this.noise += 1;
        else this.onmessage?.(problemMessage(id, { kind: 'result_too_large', bytes }));
      },
    });
    this.child.stdout.on('data', (chunk: Buffer) => reader.read(chunk));
    const halfClosed = (): void => void this.close();
    this.child.stdin.once('error', halfClosed);
    this.child.stdout.once('end', halfClosed);
    void this.child.exited.then(() => this.end());
    return Promise.resolve();
  }

  setProtocolVersion(): void {
    this.form = 'raw';
  }

  send(message: JSONRPCMessage): Promise<void> {
    const { stdin } = this.child;
    if (this.closed || !stdin.writable) return Promise.reject(new NotSent('the process is gone'));
    stdin.write(`${encodeFrame(message)}\n`);
    return Promise.resolve();
  }

  /** Settles when the process and all it started are gone. */
  async close(): Promise<void> {
    await this.child.stop({ graceMs: this.options.stopGraceMs });
    this.end();
  }

  private receive(line: string): void {
    const messages = decodeFrame(line, this.form);
    if (messages === undefined) this.noise += 1;
    else for (const message of messages) this.onmessage?.(message);
  }

  private end(): void {
    if (this.closed) return;
    this.closed = true;
    this.onclose?.();
  }
}
