import type { KeyObject } from 'node:crypto';
import { GrantClaims } from '@uar/contracts';
import { OfferedKeys, type OfferKey } from './offered-keys.js';
import { createStatementSigner } from './statement.js';
import { ed25519Signing } from './statement-keys.js';

/** `typ` of a grant's header; the number changes with the shape of the claims. */
export const grantType = 'uar-grant+2';

export interface GrantSigner {
  /** Of the signing key; a key that was agreed on with the host has an id of its own. */
  readonly keyId: string;
  /** Throws on claims that no verifier would take. */
  sign(claims: GrantClaims): string;
}

export interface GrantSignerOptions {
  /** Absent: every grant is signed. */
  readonly offer?: OfferKey;
  readonly now?: () => number;
}

/** Under the key that the host agreed on, and signed until there is one (ADR 54). */
export function createGrantSigner(
  privateKey: KeyObject,
  { offer, now = Date.now }: GrantSignerOptions = {},
): GrantSigner {
  const signingKey = ed25519Signing(privateKey);
  const signer = createStatementSigner({ key: signingKey, typ: grantType });
  const agreed = offer && new OfferedKeys({ signingKey, typ: grantType, offer, now });
  return {
    keyId: signer.keyId,
    sign(claims) {
      const checked = GrantClaims.parse(claims);
      return (agreed?.signerFor(checked) ?? signer).sign(checked);
    },
  };
}
