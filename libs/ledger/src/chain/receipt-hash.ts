import { createHash } from 'node:crypto';
import type { Digest, Receipt, ReceiptBody } from '@uar/contracts';
import canonicalize from 'canonicalize';

/** RFC 8785 form. Throws on what JSON cannot say. */
export function canonicalText(value: object): string {
  const text = canonicalize(value);
  if (text === undefined) throw new Error('a value without a JSON form');
  return text;
}

/** `hash` of a receipt: sha256 over the RFC 8785 form of the receipt without `hash`. */
export function receiptHash(receipt: Omit<Receipt, 'hash'>): Digest {
  return `sha256:${createHash('sha256').update(canonicalText(receipt)).digest('hex')}`;
}

/** The link that follows `prev` in its tenant's chain. */
export function linkReceipt(body: ReceiptBody, place: { seq: number; prevHash: Digest }): Receipt {
  const unhashed = { ...body, seq: place.seq, prev_hash: place.prevHash };
  return { ...unhashed, hash: receiptHash(unhashed) };
}
