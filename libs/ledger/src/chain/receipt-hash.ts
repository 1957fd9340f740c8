import type { Digest, Receipt, ReceiptBody } from '@uar/contracts';
import { textDigest } from '@uar/json-text';
import canonicalize from 'canonicalize';

/** RFC 8785 form. Throws on what JSON cannot say. */
export function canonicalText(value: object): string {
  const text = canonicalize(value);
  if (text === undefined) throw new Error('a value without a JSON form');
  return text;
}

/** `hash` of a receipt: sha256 over the RFC 8785 form of the receipt without `hash`. */
export function receiptHash(receipt: Omit<Receipt, 'hash'>): Digest {
  return textDigest(canonicalText(receipt));
}

/** A receipt in its place, and its RFC 8785 form as it is stored. */
export interface LinkedReceipt {
  readonly receipt: Receipt;
  readonly text: string;
}

/** Stands where the hash will: the canonical form, which costs most of a receipt, is then made once. */
const placeholder: Digest = `sha256:${'-'.repeat(64)}`;
const placeholderMember = `"hash":"${placeholder}",`;

/** The link that follows `prev` in its tenant's chain. */
export function linkReceipt(body: ReceiptBody, place: { seq: number; prevHash: Digest }): LinkedReceipt {
  const unhashed = { ...body, seq: place.seq, prev_hash: place.prevHash };
  const marked = canonicalText({ ...unhashed, hash: placeholder });
  // Members are sorted and `kind` is always there, so a comma follows. Inside of a string the quotes would be escaped.
  const at = marked.indexOf(placeholderMember);
  const before = marked.slice(0, at);
  const after = marked.slice(at + placeholderMember.length);
  const hash = textDigest(before + after);
  return { receipt: { ...unhashed, hash }, text: `${before}"hash":"${hash}",${after}` };
}
