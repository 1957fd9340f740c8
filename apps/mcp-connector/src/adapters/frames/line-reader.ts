import { IdFinder } from './id-finder.js';

const newline = 0x0a;

export interface LineReaderOptions {
  /** Longest line that is kept. */
  readonly maxBytes: number;
  readonly onLine: (line: string) => void;
  /** A line longer than that: told once, as soon as its JSON-RPC id is known, else at its end. `bytes` so far. */
  readonly onTooLong: (line: { readonly id: number | undefined; readonly bytes: number }) => void;
}

/** Cuts a byte stream into lines: linear in its length, and never more than `maxBytes` in memory. */
export class LineReader {
  private chunks: Uint8Array[] = [];
  private bytes = 0;
  private skipped: { readonly finder: IdFinder; told: boolean } | undefined;

  constructor(private readonly options: LineReaderOptions) {}

  read(chunk: Uint8Array): void {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      this.take(chunk.subarray(start, end));
      this.endLine();
      start = end + 1;
    }
    if (start < chunk.length) this.take(chunk.subarray(start));
  }

  private take(part: Uint8Array): void {
    this.bytes += part.length;
    if (this.skipped === undefined && this.bytes <= this.options.maxBytes) {
      this.chunks.push(part);
      return;
    }
    if (this.skipped === undefined) {
      this.skipped = { finder: new IdFinder(), told: false };
      for (const chunk of this.chunks) this.skipped.finder.feed(chunk);
      this.chunks = [];
    }
    this.skipped.finder.feed(part);
    if (this.skipped.finder.id !== undefined) this.tell();
  }

  private endLine(): void {
    if (this.skipped !== undefined) this.tell();
    else if (this.bytes > 0) this.options.onLine(this.text());
    this.chunks = [];
    this.bytes = 0;
    this.skipped = undefined;
  }

  private text(): string {
    const only = this.chunks.length === 1 ? this.chunks[0] : undefined;
    const all = only ?? Buffer.concat(this.chunks, this.bytes);
    return Buffer.from(all.buffer, all.byteOffset, all.byteLength).toString('utf8');
  }

  private tell(): void {
    if (this.skipped === undefined || this.skipped.told) return;
    this.skipped.told = true;
    this.options.onTooLong({ id: this.skipped.finder.id, bytes: this.bytes });
  }
}
