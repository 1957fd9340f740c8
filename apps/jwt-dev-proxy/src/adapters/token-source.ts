import { mintDevToken, type DevToken } from '@uar/identity';

/** A token that lives at least half of its time from now on. */
export class TokenSource {
  private token = '';
  private renewAt = -Infinity;

  constructor(
    private readonly claims: Omit<DevToken, 'now'>,
    private readonly now: () => number = Date.now,
  ) {}

  current(): string {
    const now = this.now();
    if (now >= this.renewAt) {
      this.token = mintDevToken({ ...this.claims, now: this.now });
      this.renewAt = now + this.claims.ttlSeconds * 500;
    }
    return this.token;
  }
}
