import type {
  AnswerOf,
  AskOf,
  keepAuthorization,
  leaseAccount,
  readAccount,
  takeAuthorization,
  writeAccount,
} from '@uar/contracts';
import type { Now } from './ledger.js';

/** Credentials for upstreams. Sealed by whoever uses them: this side never sees what it keeps. */
export interface Accounts {
  readAccount(ask: AskOf<typeof readAccount>): Promise<AnswerOf<typeof readAccount>>;
  /** Compare and set. Where a server is removed by `writeSetting`, its accounts are forgotten in the same transaction. */
  writeAccount(ask: AskOf<typeof writeAccount>): Promise<AnswerOf<typeof writeAccount>>;
  leaseAccount(ask: AskOf<typeof leaseAccount> & Now): Promise<AnswerOf<typeof leaseAccount>>;
  /** The latest 8 of an account stay open. */
  keepAuthorization(ask: AskOf<typeof keepAuthorization>): Promise<AnswerOf<typeof keepAuthorization>>;
  takeAuthorization(ask: AskOf<typeof takeAuthorization> & Now): Promise<AnswerOf<typeof takeAuthorization>>;
}
