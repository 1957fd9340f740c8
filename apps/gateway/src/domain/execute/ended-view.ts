import type { InstanceId, ReceiptPosition } from '@uar/contracts';
import type { EndedCall } from '../call/proposed-call.js';
import { callViewText } from '../view/call-view.js';
import type { ViewToKeep } from './kept-calls.js';

/** Of a CallView: the ledger keeps no longer one. */
const mostKeptBytes = 1_048_576;

/** How an ended call is kept: whole, or, where that is too long, without what its upstream sent and whole in memory alone. */
export function endedView(
  ended: EndedCall,
  receipt: ReceiptPosition | null,
  gateway: InstanceId,
): Pick<ViewToKeep, 'viewJson' | 'wholeJson'> {
  const wholeJson = callViewText(ended, { receipt });
  if (Buffer.byteLength(wholeJson) <= mostKeptBytes) return { viewJson: wholeJson };
  const bytes = Buffer.byteLength(ended.resultJson ?? '');
  return { viewJson: callViewText(ended, { receipt, withoutResult: { bytes, gateway } }), wholeJson };
}
