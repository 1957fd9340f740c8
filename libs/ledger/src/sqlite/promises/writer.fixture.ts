import { createSeal, readPrivateKey } from '@uar/keys';
import { receipt } from '../../conformance/samples.fixture.js';
import { openLedger } from '../../open-ledger.js';

// A process of its own: opens the ledger named on its command line, then appends receipts until it is killed, printing
// every number once it was acknowledged.
const [file, headsFile, keyFile] = process.argv.slice(2);
if (!file || !headsFile || !keyFile) throw new Error('usage: writer <ledger> <heads> <key>');

const signingKey = readPrivateKey(keyFile);
const ledger = await openLedger({ file, headsFile, seal: createSeal('s'.repeat(32)), signingKey });
for (;;) {
  const group = Array.from({ length: 8 }, () => ledger.appendReceipts({ receipts: [receipt()] }));
  for (const [position] of await Promise.all(group)) process.stdout.write(`${position?.seq}\n`);
}
