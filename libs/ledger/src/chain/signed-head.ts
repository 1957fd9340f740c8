import { sign, verify, type KeyObject } from 'node:crypto';
import { Digest, IsoTime, TenantId } from '@uar/contracts';
import { keyIdOf } from '@uar/keys';
import { z } from 'zod';
import { canonicalText } from './receipt-hash.js';

/** The last link of a tenant's chain at one moment. */
export interface Head {
  readonly tenant: TenantId;
  readonly seq: number;
  readonly hash: Digest;
  /** ISO 8601. */
  readonly at: string;
}

/** One line of `heads.jsonl`. `signature`: Ed25519 (RFC 8032) over the RFC 8785 form of the line without it, base64url. */
export const SignedHead = z.strictObject({
  tenant: TenantId,
  seq: z.number().int().positive(),
  hash: Digest,
  at: IsoTime,
  key_id: z.string(),
  signature: z.string(),
});
export type SignedHead = z.output<typeof SignedHead>;

export type HeadSigner = (head: Head) => SignedHead;

export function createHeadSigner(privateKey: KeyObject): HeadSigner {
  const keyId = keyIdOf(privateKey);
  return (head) => {
    const unsigned = { ...head, key_id: keyId };
    const signature = sign(null, Buffer.from(canonicalText(unsigned)), privateKey).toString('base64url');
    return { ...unsigned, signature };
  };
}

/** Why this head proves nothing, or undefined when its signature holds under one of the keys. */
export function createHeadCheck(publicKeys: readonly KeyObject[]): (head: SignedHead) => string | undefined {
  const keys = new Map(publicKeys.map((key) => [keyIdOf(key), key]));
  return ({ signature, ...unsigned }) => {
    const key = keys.get(unsigned.key_id);
    if (!key) return `a head is signed with the unknown key ${unsigned.key_id}`;
    const holds = verify(
      null,
      Buffer.from(canonicalText(unsigned)),
      key,
      Buffer.from(signature, 'base64url'),
    );
    return holds ? undefined : `the signature of head ${unsigned.seq} does not hold`;
  };
}
