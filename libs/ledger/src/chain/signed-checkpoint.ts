import { sign, verify, type KeyObject } from 'node:crypto';
import { ReceiptCheckpoint } from '@uar/contracts';
import { keyIdOf } from '@uar/keys';
import { canonicalText } from './receipt-hash.js';

/**
 * A head says `seq`, a checkpoint `through_seq`: the signature of one is none of the other, so whoever has heads cannot
 * shorten a chain with them.
 */
export function signCheckpoint(
  unsigned: Omit<ReceiptCheckpoint, 'key_id' | 'signature'>,
  privateKey: KeyObject,
): ReceiptCheckpoint {
  const said = { ...unsigned, key_id: keyIdOf(privateKey) };
  return {
    ...said,
    signature: sign(null, Buffer.from(canonicalText(said)), privateKey).toString('base64url'),
  };
}

export type FoundCheckpoint =
  | { readonly kind: 'holds'; readonly checkpoint: ReceiptCheckpoint }
  | { readonly kind: 'broken'; readonly problem: string };

/** `value`: what stands where a checkpoint of this tenant belongs. */
export function checkCheckpoint(
  value: unknown,
  tenant: string,
  publicKeys: readonly KeyObject[],
): FoundCheckpoint {
  const { data: checkpoint } = ReceiptCheckpoint.safeParse(value);
  if (!checkpoint) return broken('what stands for the removed receipts is no checkpoint');
  if (checkpoint.tenant !== tenant) return broken(`the checkpoint is one of tenant ${checkpoint.tenant}`);
  const key = publicKeys.find((each) => keyIdOf(each) === checkpoint.key_id);
  if (!key) return broken(`the checkpoint is signed with the unknown key ${checkpoint.key_id}`);
  const { signature, ...said } = checkpoint;
  const holds = verify(null, Buffer.from(canonicalText(said)), key, Buffer.from(signature, 'base64url'));
  return holds ? { kind: 'holds', checkpoint } : broken('the signature of the checkpoint does not hold');
}

function broken(problem: string): FoundCheckpoint {
  return { kind: 'broken', problem };
}
