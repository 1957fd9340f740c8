import type { KeyObject } from 'node:crypto';
import { createPublicKey } from 'node:crypto';
import type { ResolvedConfig } from '@uar/config';
import type { GrantClaims } from '@uar/contracts';
import {
  createGrantSigner,
  createStatementReader,
  createStatementSigner,
  type GrantSigner,
  type StatementReader,
  type StatementSigner,
} from '@uar/grant';
import { ensureSigningKeys } from '@uar/keys';
import type { Signatures } from '../domain/decide/call-desk.js';

const ticketType = 'uar-ticket+1';

/** Grants and tickets under one key; their types keep them apart. */
export class GrantSignatures implements Signatures {
  readonly #grants: GrantSigner;
  readonly #tickets: StatementSigner;
  readonly #reader: StatementReader;

  constructor(privateKey: KeyObject) {
    this.#grants = createGrantSigner(privateKey);
    this.#tickets = createStatementSigner({ privateKey, typ: ticketType });
    this.#reader = createStatementReader({ publicKeys: [createPublicKey(privateKey)], typ: ticketType });
  }

  grant(claims: GrantClaims): string {
    return this.#grants.sign(claims);
  }

  ticket(body: unknown): string {
    return this.#tickets.sign(body);
  }

  openTicket(text: string): unknown {
    const opened = this.#reader.open(text);
    return opened.kind === 'opened' ? opened.body : undefined;
  }
}

/** The configured signing key. A pair is made where there is none yet: hosts read its public half. */
export function grantKey({ grant_private_file, grant_public_file }: ResolvedConfig['keys']): KeyObject {
  return ensureSigningKeys(grant_private_file, grant_public_file);
}
