import type { Principal, ReceiptBody } from '@uar/contracts';

/** The receipt of an administrative act, as of now. */
export type AdminReceipt = (by: Principal, action: string) => ReceiptBody;

/** Injection token of the AdminReceipt. */
export const ADMIN_RECEIPT = Symbol('uar.gateway.admin-receipt');
