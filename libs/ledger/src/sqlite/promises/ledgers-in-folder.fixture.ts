import { ledgerFolder } from '../../conformance/samples.fixture.js';
import type { Ledger } from '../../ledger.js';
import { openLedger, type FileLedgerOptions } from '../../open-ledger.js';

/** A folder of its own, and the ledgers of it that are open. */
export class LedgersInFolder {
  private readonly folder = ledgerFolder();
  private readonly ledgers: Ledger[] = [];

  get options(): ReturnType<typeof ledgerFolder>['options'] {
    return this.folder.options;
  }

  async open(changes: Partial<FileLedgerOptions> = {}): Promise<Ledger> {
    const ledger = await openLedger({ ...this.options, ...changes });
    this.ledgers.push(ledger);
    return ledger;
  }

  close(ledger: Ledger): Promise<void> {
    this.ledgers.splice(this.ledgers.indexOf(ledger), 1);
    return ledger.close();
  }

  /** Closes what is open, and takes the folder away. */
  async remove(): Promise<void> {
    await Promise.all(this.ledgers.splice(0).map((ledger) => ledger.close()));
    this.folder.remove();
  }
}
