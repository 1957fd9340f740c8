import { pino } from 'pino';
import { redactTokens } from './redact.js';

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';

/** One line per event, as an object and a message; never tokens, arguments or results. */
export type Log = Pick<pino.Logger, 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'level'> & {
  child(bindings: Record<string, unknown>): Log;
};

export interface LogOptions {
  readonly service: string;
  readonly level?: LogLevel;
  /** Where lines go instead of stderr. */
  readonly to?: { write(line: string): void };
}

/** JSON lines on stderr, so that stdout stays free for what a command prints. */
export function createLog(options: LogOptions): Log {
  return pino(
    {
      level: options.level ?? 'info',
      base: { service: options.service },
      timestamp: pino.stdTimeFunctions.isoTime,
      hooks: { streamWrite: redactTokens },
    },
    options.to ?? pino.destination({ dest: 2, sync: true }),
  );
}
