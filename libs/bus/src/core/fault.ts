import type { BusFault, BusFaultKind } from '../bus.js';

const messages: Readonly<Record<BusFaultKind, string>> = {
  no_responders: 'nobody answers this subject',
  timed_out: 'no answer before the deadline',
  bad_ask: 'the ask does not fit its contract',
  bad_answer: 'the answer does not fit its contract',
  too_large: 'larger than the bus carries',
  faulted: 'the answering end failed',
  disconnected: 'not connected to the bus',
};

export function faultOf(fault: BusFaultKind, message: string = messages[fault]): BusFault {
  return { kind: 'fault', fault, message, beforeDispatch: false };
}

/** A fault that proves that no handler was reached. */
export function refusedOf(fault: BusFaultKind, message: string = messages[fault]): BusFault {
  return { kind: 'fault', fault, message, beforeDispatch: true };
}

const faultIdPattern = /^fault_[0-9a-f]{16}$/;

/** The fault an answering end put into its reply's headers. */
export function faultFromWire(fault: string, faultId: string | undefined): BusFault {
  switch (fault) {
    case 'bad_ask':
    case 'too_large':
      return faultOf(fault);
    case 'faulted':
      return faultId !== undefined && faultIdPattern.test(faultId)
        ? { ...faultOf('faulted'), faultId }
        : faultOf('faulted');
  }
  return faultOf('bad_answer', 'a fault of no known kind');
}
