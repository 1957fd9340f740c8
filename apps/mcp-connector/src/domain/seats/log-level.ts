import { isAtLeast, LogLevel } from '@uar/contracts';
import { memberString } from '@uar/json-text';

/** Is the message (`params` of `notifications/message`) of this level or above? One without a known level is not. */
export function saysAtLeast(least: LogLevel, paramsJson: string): boolean {
  const { success, data: level } = LogLevel.safeParse(memberString(paramsJson, 'level'));
  return success && isAtLeast(level, least);
}
