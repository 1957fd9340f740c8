import { LogLevel } from '@uar/contracts';
import { memberText } from '@uar/json-text';

/** Is the message (`params` of `notifications/message`) of this level or above? One without a known level is not. */
export function isAtLeast(least: LogLevel, paramsJson: string): boolean {
  const level = LogLevel.safeParse(JSON.parse(memberText(paramsJson, 'level') ?? 'null'));
  if (!level.success) return false;
  return LogLevel.options.indexOf(level.data) >= LogLevel.options.indexOf(least);
}
