export interface EventFields {
  readonly data: string;
  /** Absent: an event without a type, as one with empty data is. */
  readonly name?: string;
  readonly id?: string | number;
  /** Milliseconds after which a client that lost the stream asks for it again. */
  readonly retryMs?: number;
}

/** One server-sent event (WHATWG HTML 9.2). JSON text has no raw line breaks once compact; an upstream's might, and each line needs its own `data:`. */
export function eventText({ data, name, id, retryMs }: EventFields): string {
  const body = data.includes('\n') || data.includes('\r') ? data.split(/\r\n|\r|\n/).join('\ndata: ') : data;
  const place = id === undefined ? '' : `id: ${id}\n`;
  const retry = retryMs === undefined ? '' : `retry: ${retryMs}\n`;
  const type = name === undefined ? '' : `event: ${name}\n`;
  return `${place}${retry}${type}data: ${body}\n\n`;
}
