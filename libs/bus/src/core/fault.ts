import type { z } from 'zod';
import type { BusFault, BusFaultKind } from '../bus.js';
import type { WireHeaders } from './wire.js';

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
const placePattern = /^[\w.?-]{1,100}$/;
const longestPlace = 100;

/** The first member that does not fit, as `a.b.0`: names alone, no values. Nothing where it is the body itself. */
export function placeIn({ issues: [first] }: z.ZodError): string | undefined {
  const unknown = first?.code === 'unrecognized_keys' ? first.keys.slice(0, 1) : [];
  const place = [...(first?.path ?? []), ...unknown].map(String).join('.');
  return place === '' ? undefined : place.replace(/[^\w.-]/g, '?').slice(0, longestPlace);
}

/** The fault an answering end put into its reply's headers. */
export function faultFromWire(
  fault: string,
  { faultId, faultAt = '' }: Pick<WireHeaders, 'faultId' | 'faultAt'>,
): BusFault {
  switch (fault) {
    case 'bad_ask':
      return refusedOf(
        fault,
        placePattern.test(faultAt) ? `${messages[fault]} at ${faultAt}` : messages[fault],
      );
    case 'too_large':
      return faultOf(fault);
    case 'faulted':
      return faultId !== undefined && faultIdPattern.test(faultId)
        ? { ...faultOf('faulted'), faultId }
        : faultOf('faulted');
  }
  return faultOf('bad_answer', 'a fault of no known kind');
}
