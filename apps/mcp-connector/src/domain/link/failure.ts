import type { ServerConfig, ServerStatus } from '@uar/contracts';
import type { BackOff } from './back-off.js';
import type { Connected } from './connect.js';
import { linkTimes } from './link-times.js';
import { unresolvedText } from '../expand/placeholders.js';

/** What a failed attempt makes of a server, and milliseconds until the next one. */
export interface Failure {
  readonly status: ServerStatus;
  readonly message: string;
  readonly pauseMs: number;
}

export function failureOf(
  connected: Exclude<Connected, { kind: 'connected' }>,
  backOff: BackOff,
  config: ServerConfig,
): Failure {
  switch (connected.kind) {
    case 'unresolved': {
      const message = unresolvedText(connected.missing);
      return { status: 'failed', message, pauseMs: linkTimes.crashLoopBackOff };
    }
    case 'unsupported':
      return { status: 'failed', message: connected.message, pauseMs: Infinity };
    case 'auth_required':
      return { status: 'auth_required', message: connected.message, pauseMs: backOff.afterFailure() };
    case 'failed': {
      const pauseMs = backOff.afterFailure();
      return { status: failureStatus(backOff, config), message: connected.message, pauseMs };
    }
  }
}

/** Of a server that failed just now. */
export function failureStatus(backOff: BackOff, { transport }: ServerConfig): 'crash_loop' | 'failed' {
  return backOff.isCrashLoop && transport === 'stdio' ? 'crash_loop' : 'failed';
}
