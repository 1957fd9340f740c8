import type { AnswerOf, readLedgerStatus } from '@uar/contracts';
import { LedgerError, type Ledger } from '@uar/ledger';

type Status = AnswerOf<typeof readLedgerStatus>;

/** Says whether the ledger can be written, by writing; those who ask at once share one probe. */
export class LedgerStatus {
  readonly #ledger: Pick<Ledger, 'probe'>;
  #asking: Promise<Status> | undefined;

  constructor(ledger: Pick<Ledger, 'probe'>) {
    this.#ledger = ledger;
  }

  read(): Promise<Status> {
    this.#asking ??= this.#probe().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  #probe(): Promise<Status> {
    return this.#ledger.probe().then(
      () => ({ writable: true }),
      (error: unknown) => {
        if (error instanceof LedgerError) return { writable: false, problem: error.message };
        throw error;
      },
    );
  }
}
