export { ensureSecretFile, readSecretFile } from './secret-file.js';
export { createSeal, type Seal } from './seal.js';
export { ensureSigningKeys, keyIdOf, readPrivateKey, readPublicKey } from './signing-keys.js';
