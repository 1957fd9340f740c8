export interface SseReaderOptions {
  /** Longest event that is kept. */
  readonly maxBytes: number;
  /** The data of an event of type `message`; other types are none of MCP's. */
  readonly onData: (data: string) => void;
  /** An event is longer than that; it is skipped. */
  readonly onTooLong: (bytes: number) => void;
  /** An event ended, of whatever type, after one or itself gave this as the id of the last. Before its `onData`. */
  readonly onId?: (id: string) => void;
  /** Milliseconds that the sender wants to pass before its next connection. */
  readonly onRetry?: (ms: number) => void;
}

const newline = 0x0a;
const carriageReturn = 0x0d;

/** Reads `text/event-stream` (HTML Living Standard 9.2.6) from bytes: linear, and at most `maxBytes` in memory. */
export class SseReader {
  private line: Uint8Array[] = [];
  private lineBytes = 0;
  private data: string[] = [];
  private eventBytes = 0;
  private type = '';
  private id: string | undefined;
  private tooLong = false;
  private afterCarriageReturn = false;
  private isFirstLine = true;

  constructor(private readonly options: SseReaderOptions) {}

  read(chunk: Uint8Array): void {
    let start = this.afterCarriageReturn && chunk[0] === newline ? 1 : 0;
    if (chunk.length > 0) this.afterCarriageReturn = false;
    const lineEnds = new LineEnds(chunk);
    for (let end = lineEnds.next(start); end !== -1; end = lineEnds.next(start)) {
      this.take(chunk.subarray(start, end));
      this.endLine();
      start = end + 1;
      if (chunk[end] !== carriageReturn) continue;
      if (start === chunk.length) this.afterCarriageReturn = true;
      else if (chunk[start] === newline) start += 1;
    }
    this.take(chunk.subarray(start));
  }

  private take(part: Uint8Array): void {
    if (part.length === 0) return;
    this.eventBytes += part.length;
    this.lineBytes += part.length;
    if (this.eventBytes <= this.options.maxBytes) this.line.push(part);
    else if (!this.tooLong) {
      this.tooLong = true;
      this.line = [];
      this.data = [];
      this.options.onTooLong(this.eventBytes);
    }
  }

  private endLine(): void {
    const isEmpty = this.lineBytes === 0;
    const text = this.tooLong ? '' : Buffer.concat(this.line).toString('utf8');
    this.line = [];
    this.lineBytes = 0;
    if (isEmpty) return this.endEvent();
    if (!this.tooLong) this.field(this.isFirstLine ? text.replace(/^\uFEFF/, '') : text);
    this.isFirstLine = false;
  }

  private field(line: string): void {
    const colon = line.indexOf(':');
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (name === 'data') this.data.push(value);
    else if (name === 'event') this.type = value;
    else if (name === 'id' && !value.includes('\0')) this.id = value;
    else if (name === 'retry' && /^[0-9]+$/.test(value)) this.options.onRetry?.(Number(value));
  }

  private endEvent(): void {
    const data = this.data.join('\n');
    const isMessage = !this.tooLong && (this.type === '' || this.type === 'message');
    this.data = [];
    this.eventBytes = 0;
    this.type = '';
    this.tooLong = false;
    if (this.id !== undefined) this.options.onId?.(this.id);
    if (isMessage && data !== '') this.options.onData(data);
  }
}

/** Finds line ends from front to back; looks at each byte once for either kind. */
class LineEnds {
  private feed = -1;
  private carriage = -1;

  constructor(private readonly chunk: Uint8Array) {}

  /** The first line end from `from` on, or -1; `from` never decreases. */
  next(from: number): number {
    this.feed = this.nextOf(newline, this.feed, from);
    this.carriage = this.nextOf(carriageReturn, this.carriage, from);
    const end = Math.min(this.feed, this.carriage);
    return end === this.chunk.length ? -1 : end;
  }

  /** `known` as long as it lies ahead; the length of the chunk: none. */
  private nextOf(byte: number, known: number, from: number): number {
    if (known >= from) return known;
    const found = this.chunk.indexOf(byte, from);
    return found === -1 ? this.chunk.length : found;
  }
}
