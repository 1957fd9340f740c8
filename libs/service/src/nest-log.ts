import type { LoggerService } from '@nestjs/common';
import type { Log } from '@uar/telemetry';

const silent = (): void => {};

function write(
  to: (fields: object, message: string) => void,
  message: unknown,
  rest: readonly unknown[],
): void {
  const context = rest.at(-1);
  const fields = typeof context === 'string' ? { nest: context } : {};
  if (message instanceof Error) to({ ...fields, err: message }, 'Nest reports an error');
  else to(fields, typeof message === 'string' ? message : 'Nest reports something');
}

/** Nest's own words in our log: warnings and errors only. */
export function nestLog(log: Log): LoggerService {
  return {
    log: silent,
    debug: silent,
    verbose: silent,
    warn: (message: unknown, ...rest: unknown[]) => write((f, m) => log.warn(f, m), message, rest),
    error: (message: unknown, ...rest: unknown[]) => write((f, m) => log.error(f, m), message, rest),
    fatal: (message: unknown, ...rest: unknown[]) => write((f, m) => log.fatal(f, m), message, rest),
  };
}
