import type { KeyObject } from 'node:crypto';
import { createPublicKey } from 'node:crypto';
import { join } from 'node:path';
import type { UarConfig } from '@uar/config';
import type { GrantClaims } from '@uar/contracts';
import {
  createGrantSigner,
  createStatementReader,
  createStatementSigner,
  type GrantSigner,
  type StatementReader,
  type StatementSigner,
} from '@uar/grant';
import { ensureSigningKeys, readPrivateKey } from '@uar/keys';
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
export function grantKey(config: Pick<UarConfig, 'data_dir' | 'keys'>): KeyObject {
  const { grant_private_file: privateFile, grant_public_file: publicFile } = config.keys;
  const privatePath = privateFile ?? join(config.data_dir, 'keys', 'grant.key');
  try {
    return readPrivateKey(privatePath);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
  ensureSigningKeys(privatePath, publicFile ?? join(config.data_dir, 'keys', 'grant.pub'));
  return readPrivateKey(privatePath);
}
