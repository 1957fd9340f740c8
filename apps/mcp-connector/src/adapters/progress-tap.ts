import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';

type Message = JSONRPCMessage;

/**
 * Takes progress out of a transport before the SDK's client sees it: the client handles notifications a tick late, when
 * a result that arrived together with them has already ended the call, and it drops members that it does not know.
 */
export class ProgressTap implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: Message) => void;
  private readonly listeners = new Map<number, (paramsJson: string) => void>();
  private readonly tokens = new Map<number, number>();
  private lastToken = 0;

  constructor(private readonly inner: Transport) {}

  /** A token for the `_meta` of one request. Its progress is heard until the answer, or until `unlisten`. */
  listen(onProgress: (paramsJson: string) => void): number {
    this.lastToken += 1;
    this.listeners.set(this.lastToken, onProgress);
    return this.lastToken;
  }

  unlisten(token: number): void {
    this.listeners.delete(token);
  }

  async start(): Promise<void> {
    this.inner.onclose = () => this.onclose?.();
    this.inner.onerror = (error) => this.onerror?.(error);
    this.inner.onmessage = (message: Message) => this.pass(message);
    await this.inner.start();
  }

  setProtocolVersion(version: string): void {
    this.inner.setProtocolVersion?.(version);
  }

  async send(message: Message): Promise<void> {
    if (this.listeners.size > 0 && 'method' in message && 'id' in message) this.noteToken(message);
    await this.inner.send(message);
  }

  async close(): Promise<void> {
    await this.inner.close();
  }

  private noteToken({
    id,
    params,
  }: {
    id: string | number;
    params?: { _meta?: object | undefined } | undefined;
  }): void {
    const meta = params?._meta;
    if (meta !== undefined && 'progressToken' in meta)
      this.tokens.set(Number(id), Number(meta.progressToken));
  }

  private pass(message: Message): void {
    if ('method' in message && message.method === 'notifications/progress') {
      const { progressToken, ...params } = message.params ?? {};
      this.listeners.get(Number(progressToken))?.(JSON.stringify(params));
      return;
    }
    if (this.tokens.size > 0 && !('method' in message)) {
      const id = Number(message.id);
      this.unlisten(this.tokens.get(id) ?? 0);
      this.tokens.delete(id);
    }
    this.onmessage?.(message);
  }
}
