import { Writable } from 'node:stream';
import type { Log } from '@uar/telemetry';
import { pino } from 'pino';

export interface RecordedLog {
  readonly log: Log;
  readonly lines: string[];
}

/** A real log whose lines a test can read. */
export function recordedLog(): RecordedLog {
  const lines: string[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  return { log: pino({ level: 'debug' }, stream), lines };
}
