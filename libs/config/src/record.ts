import { z } from 'zod';

const path = z.string().min(1);

export const receipts = z
  .strictObject({
    retention_days: z
      .number()
      .int()
      .min(1)
      .max(36_500)
      .optional()
      .describe(
        'Receipts older than this are removed, at the latest a day later; a signed checkpoint stands for them. Default: kept for ever.',
      ),
  })
  .prefault({});

export const ledger = z
  .strictObject({
    file: path
      .optional()
      .describe('SQLite file of the record; relative to data_dir. Default: ledger.db. Excludes url.'),
    url: path
      .optional()
      .describe(
        'PostgreSQL database of the record instead: postgres://user@host:5432/database, without a password.',
      ),
    password_file: path.optional().describe('File with the password of the user in url.'),
  })
  .prefault({});

export const keys = z
  .strictObject({
    data_key_file: path
      .optional()
      .describe('Key that encrypts stored secrets. Default: <data dir>/keys/data.key.'),
    grant_private_file: path.optional().describe('PDP signing key. Default: <data dir>/keys/grant.key.'),
    grant_public_file: path
      .optional()
      .describe('Its public half, for hosts. Default: <data dir>/keys/grant.pub.'),
    receipt_private_file: path
      .optional()
      .describe('Signs chain heads. Default: <data dir>/keys/receipts.key.'),
    state_key_file: path
      .optional()
      .describe(
        'Key that seals what MCP clients carry between requests; the same for all gateways. Default: <data dir>/keys/state.key.',
      ),
  })
  .prefault({});
