import { createSeal, readPrivateKey } from '@uar/keys';
import { receipt } from '../../conformance/samples.fixture.js';
import { openLedger } from '../../open-ledger.js';

// A process of its own: opens the ledger that its environment names, then appends receipts until it is killed, printing
// every number once it was acknowledged. An append that is unavailable is said too, and the next is tried.
const { LEDGER_URL: url, LEDGER_PASSWORD: password, LEDGER_KEY: keyFile } = process.env;
if (!url || !password || !keyFile) throw new Error('LEDGER_URL, LEDGER_PASSWORD and LEDGER_KEY');

const signingKey = readPrivateKey(keyFile);
const ledger = await openLedger({ url, password, seal: createSeal('s'.repeat(32)), signingKey });
for (;;) {
  await ledger.appendReceipts({ receipts: [receipt()] }).then(
    ([place]) => process.stdout.write(`${place?.seq}\n`),
    () => process.stdout.write('unavailable\n'),
  );
}
