import { generateKeyPairSync } from 'node:crypto';
import { postgresMissing, type PostgresDatabase } from '@uar/testkit';
import { createSeal } from '@uar/keys';
import { Client } from 'pg';
import { describe } from 'vitest';
import type { PostgresLedgerOptions } from '../../open-ledger.js';

export function withPostgres(name: string, body: () => void): void {
  describe.skipIf(postgresMissing(name))(name, body);
}

/** What every replica of a ledger in this database is opened with. */
export function optionsIn(database: PostgresDatabase): PostgresLedgerOptions {
  const { privateKey: signingKey } = generateKeyPairSync('ed25519');
  return { ...database, signingKey, seal: createSeal('s'.repeat(32)) };
}

/** As its operator, past the ledger. */
export async function query(
  { url, password = '' }: { readonly url: string; readonly password?: string },
  text: string,
): Promise<readonly Record<string, unknown>[]> {
  const client = await connected({ url, password });
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

export async function connected({ url, password }: PostgresDatabase): Promise<Client> {
  const place = Object.assign(new URL(url), { password, search: '' });
  const client = new Client({ connectionString: place.href });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}
