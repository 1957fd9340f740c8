import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { Child } from '@uar/sandbox';
import { NotSent } from './not-sent.js';
import { decodeFrame, encodeFrame, problemMessage, type ResultForm } from './frames/frame.js';
import { LineReader } from './frames/line-reader.js';
import { Noise } from './noise.js';

export interface StdioTransportOptions {
  readonly child: Child;
  /** Longest line that is read. */
  readonly maxFrameBytes: number;
  readonly stopGraceMs: number;
  /** The first fault in the handling of what the child wrote; the connection lives on. */
  readonly onFault?: ((error: unknown) => void) | undefined;
}

/** MCP over the pipes of a child. What is no JSON-RPC on its stdout is counted and ignored (P4). */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  form: ResultForm = 'parsed';
  private readonly child: Child;
  private readonly noise: Noise;
  private closed = false;

  constructor(private readonly options: StdioTransportOptions) {
    this.child = options.child;
    this.noise = new Noise(options.onFault);
  }

  /** Lines on stdout that were no JSON-RPC, and messages that could not be handled. */
  get noiseLines(): number {
    return this.noise.count;
  }

  start(): Promise<void> {
    const reader = new LineReader({
      maxBytes: this.options.maxFrameBytes,
      onLine: (line) => this.receive(line),
      onTooLong: ({ id, bytes }) => {
        if (id === undefined) this.noise.add();
        else this.deliver(problemMessage(id, { kind: 'result_too_large', bytes }));
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

  /** An answer to the child settles when the pipe took it: its sender heeds that. Ours are bounded by their calls. */
  async send(message: JSONRPCMessage): Promise<void> {
    const { stdin } = this.child;
    if (this.closed || !stdin.writable) throw new NotSent('the process is gone');
    const line = `${encodeFrame(message)}\n`;
    this.gather();
    if ('method' in message) stdin.write(line);
    else await new Promise<void>((resolve) => stdin.write(line, () => resolve()));
  }

  /** What is sent in one turn of the event loop leaves together: each write costs a system call, and wakes the child. */
  private gather(): void {
    const { stdin } = this.child;
    if (stdin.writableCorked > 0) return;
    stdin.cork();
    setImmediate(() => stdin.uncork());
  }

  /** Settles when the process and all it started are gone. */
  async close(): Promise<void> {
    await this.child.stop({ graceMs: this.options.stopGraceMs });
    this.end();
  }

  private receive(line: string): void {
    this.noise.guard(() => {
      const messages = decodeFrame(line, this.form);
      if (messages === undefined) this.noise.add();
      else for (const message of messages) this.deliver(message);
    });
  }

  private deliver(message: JSONRPCMessage): void {
    this.noise.guard(() => this.onmessage?.(message));
  }

  private end(): void {
    if (this.closed) return;
    this.closed = true;
    this.onclose?.();
  }
}
