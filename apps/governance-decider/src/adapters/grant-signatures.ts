import type { KeyObject } from 'node:crypto';
import type { Bus } from '@uar/bus';
import type { ResolvedConfig } from '@uar/config';
import { hosts, type GrantClaims } from '@uar/contracts';
import { createGrantSigner, type GrantSigner, type OfferKey } from '@uar/grant';
import { createSeal, ensureSigningKeys, type Seal } from '@uar/keys';
import type { Signatures } from '../domain/decide/call-desk.js';

const ticketPurpose = 'ticket of a release';

/** Grants are for hosts, which verify them; tickets are sealed, as whoever reads them has the key. */
export class GrantSignatures implements Signatures {
  readonly #grants: GrantSigner;
  readonly #tickets: Seal;

  constructor(privateKey: KeyObject, offer: OfferKey) {
    this.#grants = createGrantSigner(privateKey, { offer });
    this.#tickets = createSeal(String(privateKey.export({ type: 'pkcs8', format: 'pem' })));
  }

  grant(claims: GrantClaims): string {
    return this.#grants.sign(claims);
  }

  ticket(body: unknown): string {
    return this.#tickets.seal(JSON.stringify(body), ticketPurpose);
  }

  openTicket(text: string): unknown {
    try {
      return JSON.parse(this.#tickets.open(text, ticketPurpose));
    } catch {
      return undefined;
    }
  }
}

/** The configured signing key. A pair is made where there is none yet: hosts read its public half. */
export function grantKey({ grant_private_file, grant_public_file }: ResolvedConfig['keys']): KeyObject {
  return ensureSigningKeys(grant_private_file, grant_public_file);
}

/** A gateway answers no offers: what it executes itself is seldom asked for, and its grants stay signed. */
export function offersOver(bus: Pick<Bus, 'ask'>): OfferKey {
  return async ({ host, instance }, offer) => {
    if (host === 'gateway') return undefined;
    const reply = await bus.ask(hosts[host].agreeKey, { offer }, { to: instance });
    return reply.kind === 'answered' && reply.value.kind === 'agreed' ? reply.value.public_key : undefined;
  };
}
