/** Longest wait that an upstream may ask for: its timer is one that a runtime keeps. */
const longestRetryMs = 3_600_000;
/** Whoever asks for less would have us spin. */
const shortestRetryMs = 100;
const longestId = 1_024;

/** How far a stream was read, and when it may be asked for again: what the `id` and `retry` of its events say. */
export class StreamPlace {
  private id: string | undefined;
  private retry: number | undefined;
  readonly listener = {
    onId: (id: string): void => {
      this.id = headerValueOf(id);
    },
    onRetry: (ms: number): void => {
      this.retry = Math.min(longestRetryMs, Math.max(shortestRetryMs, ms));
    },
  };

  /** As the header `Last-Event-ID` carries it; undefined: the stream cannot be gone on with. */
  get lastEventId(): string | undefined {
    return this.id;
  }

  get retryMs(): number | undefined {
    return this.retry;
  }
}

/** UTF-8 in a header (HTML 9.2.5), which Node writes byte by byte; undefined where no header can carry it. */
function headerValueOf(id: string): string | undefined {
  const value = Buffer.from(id, 'utf8').toString('latin1');
  return value.length > 0 && value.length <= longestId && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
    ? value
    : undefined;
}
