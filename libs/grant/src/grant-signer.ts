import type { KeyObject } from 'node:crypto';
import { GrantClaims } from '@uar/contracts';
import { createStatementSigner } from './statement.js';

/** `typ` of a grant's header; the number changes with the shape of the claims. */
export const grantType = 'uar-grant+2';

export interface GrantSigner {
  /** Names the key in the header of every grant. */
  readonly keyId: string;
  /** Throws on claims that no verifier would take. */
  sign(claims: GrantClaims): string;
}

export function createGrantSigner(privateKey: KeyObject): GrantSigner {
  const signer = createStatementSigner({ privateKey, typ: grantType });
  return { keyId: signer.keyId, sign: (claims) => signer.sign(GrantClaims.parse(claims)) };
}
