import type { Log } from '@uar/telemetry';
import type { Journal } from '../domain/ports.js';

/** The service's log. */
export class LogJournal implements Journal {
  constructor(private readonly log: Log) {}

  note(fields: Readonly<Record<string, unknown>>, what: string): void {
    this.log.info(fields, what);
  }

  warn(fields: Readonly<Record<string, unknown>>, what: string): void {
    this.log.warn(fields, what);
  }
}
