import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Product } from '@uar/testkit';
import Database from 'better-sqlite3';
import { Client } from 'pg';

type Ledger = Pick<Product, 'dataDir' | 'ledgerEnvironment'>;

const last = '(SELECT max(seq) FROM receipts)';
const edits = {
  'change-a-byte': `UPDATE receipts SET receipt = replace(receipt, '"completed"', '"complEted"') WHERE seq = ${last} - 1`,
  'drop-the-last': `DELETE FROM receipts WHERE seq = ${last}`,
} as const;

/** Tampers with the receipts of a stopped product; the returned function puts back what was there. */
export async function editLedger(ledger: Ledger, how: keyof typeof edits): Promise<() => Promise<void>> {
  const changed = isFile(ledger) ? editFile(ledger.dataDir, how) : await editDatabase(ledger, how);
  if (changed.count === 0) throw new Error(`nothing to edit: ${how}`);
  return async () => changed.undo();
}

interface Changed {
  readonly count: number;
  undo(): Promise<void> | void;
}

function isFile({ ledgerEnvironment }: Ledger): boolean {
  return ledgerEnvironment['UAR_LEDGER_URL'] === undefined;
}

function editFile(dataDir: string, how: keyof typeof edits): Changed {
  const files = readdirSync(dataDir).filter((file) => /^ledger\.db(-wal|-shm)?$/.test(file));
  for (const file of files) copyFileSync(join(dataDir, file), join(dataDir, `${file}.kept`));
  const database = new Database(join(dataDir, 'ledger.db'));
  const { changes } = database.prepare(edits[how]).run();
  database.close();
  const undo = (): void => {
    for (const file of files) copyFileSync(join(dataDir, `${file}.kept`), join(dataDir, file));
  };
  return { count: changes, undo };
}

async function editDatabase(ledger: Ledger, how: keyof typeof edits): Promise<Changed> {
  return inDatabase(ledger, async (client) => {
    await client.query('CREATE TABLE kept_receipts AS SELECT * FROM receipts');
    const { rowCount } = await client.query(edits[how]);
    const undo = (): Promise<void> =>
      inDatabase(ledger, async (again) => {
        await again.query('DELETE FROM receipts');
        await again.query('INSERT INTO receipts SELECT * FROM kept_receipts');
        await again.query('DROP TABLE kept_receipts');
      });
    return { count: rowCount ?? 0, undo };
  });
}

/** Everything that is stored, as far as it is text. */
export async function storedText(ledger: Ledger): Promise<string> {
  if (isFile(ledger))
    return ['ledger.db', 'ledger.db-wal']
      .map((file) => readFileSync(join(ledger.dataDir, file), 'latin1'))
      .join('\n');
  return inDatabase(ledger, async (client) => {
    const tables = await client.query<{ name: string }>(
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
    );
    const texts: string[] = [];
    for (const { name } of tables.rows) {
      const { rows } = await client.query<{ text: string }>(`SELECT t::text AS text FROM ${name} t`);
      texts.push(...rows.map(({ text }) => text));
    }
    return texts.join('\n');
  });
}

async function inDatabase<T>(
  { ledgerEnvironment }: Ledger,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const password = readFileSync(ledgerEnvironment['UAR_LEDGER_PASSWORD_FILE'] ?? '', 'utf8');
  const url = Object.assign(new URL(ledgerEnvironment['UAR_LEDGER_URL'] ?? ''), { password });
  const client = new Client({ connectionString: url.href });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
