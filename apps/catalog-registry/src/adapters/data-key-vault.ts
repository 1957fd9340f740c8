import { createSeal, ensureSecretFile, type Seal } from '@uar/keys';
import type { Vault } from '../domain/ports.js';

/** Seals with the data key of the installation; makes the key file where there is none. */
export class DataKeyVault implements Vault {
  private readonly key: Seal;

  constructor(keyFile: string) {
    this.key = createSeal(ensureSecretFile(keyFile));
  }

  seal(plain: string, purpose: string): string {
    return this.key.seal(plain, purpose);
  }

  open(sealed: string, purpose: string): string | undefined {
    try {
      return this.key.open(sealed, purpose);
    } catch {
      return undefined;
    }
  }
}
