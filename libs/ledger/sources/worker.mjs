import './register.mjs';

// The ledger's thread where nothing is built: the same worker, read from its source.
await import('../src/worker.ts');
