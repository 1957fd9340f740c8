import type { AccountId, Digest } from '@uar/contracts';
import type { Seal } from '@uar/keys';
import type { z } from 'zod';

/** Values of accounts, sealed before they leave this process: each opens for its account and its digest alone. */
export class AccountSeal<T> {
  constructor(
    private readonly seal: Seal,
    private readonly kind: string,
    private readonly schema: z.ZodType<T>,
  ) {}

  close(value: T, account: AccountId, digest: Digest): string {
    return this.seal.seal(JSON.stringify(value), this.purpose(account, digest));
  }

  /** Undefined: sealed with another key or for another account, or of another shape. */
  open(sealed: string, account: AccountId, digest: Digest): T | undefined {
    try {
      return this.schema.parse(JSON.parse(this.seal.open(sealed, this.purpose(account, digest))));
    } catch {
      return undefined;
    }
  }

  private purpose({ tenant, server, principal }: AccountId, digest: Digest): string {
    return `${this.kind} ${JSON.stringify([tenant, server, principal ?? null, digest])}`;
  }
}
