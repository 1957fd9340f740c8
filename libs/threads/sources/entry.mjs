import './register.mjs';

// A thread where nothing is built: the worker named by the first argument, read from its source.
await import(process.argv[2]);
