/** Keeps the last bytes of an endless stream. */
export class ByteRing {
  private readonly bytes: Buffer;
  private written = 0;

  constructor(private readonly capacity: number) {
    if (!Number.isInteger(capacity) || capacity < 1) throw new RangeError('a ring needs at least one byte');
    this.bytes = Buffer.alloc(capacity);
  }

  /** Bytes written in all, kept or not. */
  get total(): number {
    return this.written;
  }

  write(chunk: Uint8Array): void {
    const tail = chunk.length > this.capacity ? chunk.subarray(chunk.length - this.capacity) : chunk;
    const at = (this.written + chunk.length - tail.length) % this.capacity;
    const first = Math.min(tail.length, this.capacity - at);
    this.bytes.set(tail.subarray(0, first), at);
    this.bytes.set(tail.subarray(first), 0);
    this.written += chunk.length;
  }

  /** The kept bytes, oldest first. */
  read(): Buffer {
    if (this.written <= this.capacity) return Buffer.from(this.bytes.subarray(0, this.written));
    const at = this.written % this.capacity;
    return Buffer.concat([this.bytes.subarray(at), this.bytes.subarray(0, at)]);
  }
}
