export { maxDevTokenSeconds, mintDevToken, type DevToken } from './dev-token.js';
export { type FetchKeySet } from './keys/fetch-key-set.js';
export { type Refusal, type RefusalCause } from './refusal.js';
export {
  createTokenVerifier,
  type TokenVerifier,
  type TokenVerifierOptions,
  type Verified,
  type VerifyOptions,
} from './token-verifier.js';
