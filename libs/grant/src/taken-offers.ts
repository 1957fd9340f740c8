import { KeyOffer, type GrantClaims, type InstanceId } from '@uar/contracts';
import { agreedKey, keyLifeMs, newKeyHalf, offerType } from './agreed-key.js';
import { createStatementReader, StatementKeys, type StatementReader } from './statement.js';
import { macKey, type CheckingKey } from './statement-keys.js';

export type KeyAnswer =
  | { readonly kind: 'agreed'; readonly public_key: string }
  | { readonly kind: 'refused'; readonly cause: string };

/** Clocks of the PDP and of a host may differ by this much before what is fresh counts as from the future. */
export const clockSkewMs = 5_000;
/** The pinned ones among them: two for each replica of the decider, while one is made anew. */
const maxKeys = 100;

/** Keys that a host agreed on with deciders: only what one of the pinned keys has signed is an offer. */
export class TakenOffers {
  readonly #reader: StatementReader;

  constructor(
    private readonly parts: {
      readonly pinned: readonly CheckingKey[];
      /** Where the keys go. */
      readonly keys: StatementKeys;
      readonly self: { readonly host: GrantClaims['host']; readonly instance: InstanceId };
    },
  ) {
    this.#reader = createStatementReader(new StatementKeys(offerType, parts.pinned));
  }

  take(offer: string, now: number): KeyAnswer {
    const opened = this.#reader.open(offer, now);
    if (opened.kind === 'refused') return opened;
    const parsed = KeyOffer.safeParse(opened.body);
    if (!parsed.success) return refused('bad_claims');
    const problem = this.#problem(parsed.data, now);
    return problem === undefined ? this.#agree(offer, parsed.data) : refused(problem);
  }

  #problem(offered: KeyOffer, now: number): string | undefined {
    const { keys, self } = this.parts;
    if (offered.host !== self.host) return 'wrong_host';
    if (offered.instance !== self.instance) return 'wrong_instance';
    if (offered.issued_at > now + clockSkewMs) return 'not_yet_valid';
    if (offered.expires_at <= now) return 'expired';
    if (offered.expires_at > now + clockSkewMs + keyLifeMs) return 'too_long';
    keys.forgetExpired(now);
    return keys.size >= maxKeys ? 'memory_full' : undefined;
  }

  #agree(offer: string, offered: KeyOffer): KeyAnswer {
    const own = newKeyHalf();
    const agreed = agreedKey(own, offered.public_key, { offer, answer: own.publicKey });
    if (agreed === undefined) return refused('bad_key');
    this.parts.keys.add(macKey({ ...agreed, expiresAt: offered.expires_at }));
    return { kind: 'agreed', public_key: own.publicKey };
  }
}

function refused(cause: string): KeyAnswer {
  return { kind: 'refused', cause };
}
