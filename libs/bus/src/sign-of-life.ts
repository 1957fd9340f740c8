import type { Exchange } from '@uar/contracts';
import type { Reply } from './bus.js';

/** What a reply says of the instance that was asked. `unasked`: our own connection was lost. */
export type SignOfLife = 'present' | 'absent' | 'silent' | 'unasked';

export function signOfLife(reply: Reply<Exchange>): SignOfLife {
  if (reply.kind === 'answered') return 'present';
  switch (reply.fault) {
    case 'no_responders':
      return 'absent';
    case 'timed_out':
      return 'silent';
    case 'disconnected':
      return 'unasked';
    // Somebody answered, whatever it was.
    case 'bad_ask':
    case 'bad_answer':
    case 'too_large':
    case 'faulted':
      return 'present';
  }
}
