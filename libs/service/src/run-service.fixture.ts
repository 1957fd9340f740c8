import { readKeptCall, readLedgerStatus } from '@uar/contracts';
import { runService } from './run-service.js';

// A service small enough to start in no time, for run-service.spec.ts. `PLANTED_PROBLEM` keeps it from starting.
await runService({
  name: 'approval-service',
  start: async ({ bus }) => {
    const problem = process.env['PLANTED_PROBLEM'];
    if (problem !== undefined) throw new Error(problem);
    bus.answer(readLedgerStatus, () => ({ writable: true }));
    bus.answer(readKeptCall, async () => {
      process.send?.({ kind: 'running' });
      await new Promise((resolve) => setTimeout(resolve, 300));
      return { kind: 'not_found' };
    });
    await bus.flush();
    return {
      name: 'approval-service',
      readiness: () => Promise.resolve({ ready: true, problems: [] }),
      stop: () => bus.drain(),
    };
  },
});
