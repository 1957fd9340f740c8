import { LogLevel } from '@uar/contracts';
import { memberString } from '@uar/json-text';

/** Is the message (`params` of `notifications/message`) of this level or above? One without a known level is not. */
export function isAtLeast(least: LogLevel, paramsJson: string): boolean {
  const level = LogLevel.safeParse(memberString(paramsJson, 'level'));
  if (!level.success) return false;
  return LogLevel.options.indexOf(level.data) >= LogLevel.options.indexOf(least);
}
