import type { GrantClaims, KeyOffer } from '@uar/contracts';
import { agreedKey, keyLifeMs, newKeyHalf, offerType } from './agreed-key.js';
import { createStatementSigner, type StatementSigner } from './statement.js';
import { macKey, type SigningKey } from './statement-keys.js';

type Host = Pick<GrantClaims, 'host' | 'instance'>;

/** Hands an offer to a host; its half of the key, or undefined where it does not agree. Never rejects. */
export type OfferKey = (host: Host, offer: string) => Promise<string | undefined>;

interface Held {
  signer?: StatementSigner;
  expiresAt: number;
  /** When the next offer is made; meanwhile none is. */
  offerAt: number;
}

const retryMs = 30_000;
const maxHosts = 1_000;

/** The keys that a decider agreed on with host instances, made where there is none and made anew in time. */
export class OfferedKeys {
  readonly #held = new Map<string, Held>();
  readonly #offers: StatementSigner;

  constructor(
    private readonly parts: {
      readonly signingKey: SigningKey;
      readonly typ: string;
      readonly offer: OfferKey;
      readonly now: () => number;
    },
  ) {
    this.#offers = createStatementSigner({ key: parts.signingKey, typ: offerType });
  }

  /** undefined: there is none, or none that lives as long as the grant. */
  signerFor({ host, instance, expires_at }: GrantClaims): StatementSigner | undefined {
    const now = this.parts.now();
    const name = `${host}.${instance}`;
    const held = this.#held.get(name) ?? this.#room(name, now);
    if (held === undefined) return undefined;
    if (held.offerAt <= now) {
      held.offerAt = now + retryMs;
      void this.#agree({ host, instance }, held, now);
    }
    return expires_at < held.expiresAt ? held.signer : undefined;
  }

  async #agree(to: Host, held: Held, now: number): Promise<void> {
    const own = newKeyHalf();
    const expiresAt = now + keyLifeMs;
    const claims: KeyOffer = { ...to, public_key: own.publicKey, issued_at: now, expires_at: expiresAt };
    const offer = this.#offers.sign(claims);
    const answer = await this.parts.offer(to, offer);
    const agreed = answer === undefined ? undefined : agreedKey(own, answer, { offer, answer });
    if (agreed === undefined) return;
    const key = macKey({ ...agreed, expiresAt });
    held.signer = createStatementSigner({ key, typ: this.parts.typ });
    held.expiresAt = expiresAt;
    held.offerAt = now + keyLifeMs / 2;
  }

  /** Instances come and go; those that are gone are offered nothing any more. */
  #room(name: string, now: number): Held | undefined {
    if (this.#held.size >= maxHosts)
      for (const [other, { expiresAt, offerAt }] of this.#held)
        if (expiresAt <= now && offerAt <= now) this.#held.delete(other);
    if (this.#held.size >= maxHosts) return undefined;
    const held: Held = { expiresAt: 0, offerAt: 0 };
    this.#held.set(name, held);
    return held;
  }
}
