import { pino } from 'pino';

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';

/** One line per event, as an object and a message; never tokens, arguments or results. */
export type Log = Pick<pino.Logger, 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'level'> & {
  child(bindings: Record<string, unknown>): Log;
};

/** JSON lines on stderr, so that stdout stays free for what a command prints. */
export function createLog(options: { service: string; level?: LogLevel }): Log {
  return pino(
    {
      level: options.level ?? 'info',
      base: { service: options.service },
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    pino.destination({ dest: 2, sync: true }),
  );
}
