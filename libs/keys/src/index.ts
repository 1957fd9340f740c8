export { ensureSecretFile, readSecretFile } from './secret-file.js';
export { createJweRecipient, encryptTo, type JweRecipient, type PublicJwk } from './jwe.js';
export { createSeal, type Seal } from './seal.js';
export {
  ensureSigningKeys,
  keyIdOf,
  readPrivateKey,
  readPublicKey,
  receiptPublicPath,
} from './signing-keys.js';
