import { copyFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';

const edits = {
  'change-a-byte':
    'UPDATE receipts SET receipt = replace(receipt, \'"completed"\', \'"complEted"\') WHERE seq = (SELECT max(seq) - 1 FROM receipts)',
  'drop-the-last': 'DELETE FROM receipts WHERE seq = (SELECT max(seq) FROM receipts)',
} as const;

/** Tampers with the receipts of a stopped product; the returned function puts the files back. */
export function editLedger(dataDir: string, how: keyof typeof edits): () => void {
  const files = readdirSync(dataDir).filter((file) => /^ledger\.db(-wal|-shm)?$/.test(file));
  for (const file of files) copyFileSync(join(dataDir, file), join(dataDir, `${file}.kept`));
  const database = new Database(join(dataDir, 'ledger.db'));
  const { changes } = database.prepare(edits[how]).run();
  database.close();
  if (changes === 0) throw new Error(`nothing to edit: ${how}`);
  return () => {
    for (const file of files) copyFileSync(join(dataDir, `${file}.kept`), join(dataDir, file));
  };
}
