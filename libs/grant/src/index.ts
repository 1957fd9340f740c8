export { createGrantSigner, grantType, type GrantSigner } from './grant-signer.js';
export type { OfferKey } from './offered-keys.js';
export {
  createGrantVerifier,
  type ExpectedCall,
  type GrantVerifier,
  type GrantVerifierOptions,
  type VerifiedGrant,
} from './grant-verifier.js';
