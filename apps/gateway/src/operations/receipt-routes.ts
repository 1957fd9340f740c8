import { Receipt, ReceiptCheckpoint, ReceiptVerification } from '@uar/contracts';
import { z } from 'zod';
import { governed } from '../http/access.js';
import { NoQuery, ReceiptListQuery } from '../http/asks.js';
import type { Route } from '../http/route.js';

const ReceiptList = z.strictObject({
  receipts: z.array(Receipt),
  next_cursor: z.string().optional(),
  /** Receipts up to this one were removed by retention. */
  truncated_through: z.number().int().optional(),
});

/** The first line of an export whose chain begins after a checkpoint, then a receipt in each line. */
const ExportLine = z.union([Receipt, z.strictObject({ checkpoint: ReceiptCheckpoint })]);

const receipts = '/api/uar/receipts';

/** API.md 7. */
export const receiptRoutes = {
  listReceipts: {
    method: 'get',
    paths: [receipts],
    access: governed('readReceipts'),
    scope: 'admin',
    summary: 'Receipts of the tenant, in order',
    query: ReceiptListQuery,
    answers: { 200: ReceiptList },
  },
  exportReceipts: {
    method: 'get',
    paths: [`${receipts}/export`],
    access: governed('readReceipts'),
    scope: 'admin',
    summary: 'All receipts of the tenant, one per line',
    query: NoQuery,
    answers: { 200: ExportLine },
    media: 'application/x-ndjson',
  },
  verifyReceipts: {
    method: 'get',
    paths: [`${receipts}/verify`],
    access: governed('readReceipts'),
    scope: 'admin',
    summary: 'Checks the chain of the tenant',
    query: NoQuery,
    answers: { 200: ReceiptVerification },
  },
  readReceipt: {
    method: 'get',
    paths: [`${receipts}/:seq`],
    access: governed('readReceipts'),
    scope: 'admin',
    summary: 'One receipt',
    query: NoQuery,
    answers: { 200: Receipt },
    errors: [404, 410],
  },
} satisfies Record<string, Route>;
