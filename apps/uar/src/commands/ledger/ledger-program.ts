import type { Command } from 'commander';
import type { ExitCode, World } from '../../world.js';
import { collect, jsonOption } from '../option-types.js';

const aboutRestore = `
The product must be stopped. The backup is verified first; what it replaces stays beside it as *.replaced-<time>.
Receipts that are known here and not in the backup are given up only by name: --accept-loss <tenant>=<count>.
Settings, servers, quotas and idempotency keys are those of the backup again. Approvals that were open end.
Keys are not part of a backup: put <data dir>/keys back first, where the machine is a new one.`;

/** Commands on the ledger of this machine; none asks a server. */
export function addLedgerCommands(program: Command, world: World, report: (code: ExitCode) => void): void {
  const ledger = program
    .command('ledger')
    .description('Back up, restore or check the ledger of this machine.');
  ledger
    .command('backup')
    .description('Write a verified copy of the ledger into one file, while the product runs or not.')
    .argument('<file>', 'the copy; readable by its owner alone')
    .option('--force', 'replace a file that is there', false)
    .addOption(jsonOption())
    .addHelpText('after', '\nKeys are not part of it: keep <data dir>/keys too, and apart (docs/ledger.md).')
    .action(async (file: string, flags: { force: boolean; json: boolean }) => {
      const { backupCommand } = await import('./ledger.js');
      report(await backupCommand(world, { file, ...flags }));
    });
  ledger
    .command('restore')
    .description('Put a backup in the place of the ledger.')
    .argument('<file>', 'a file made by uar ledger backup')
    .option('--accept-loss <tenant=count>', 'receipts that are given up; repeatable', collect, [])
    .addOption(jsonOption())
    .addHelpText('after', aboutRestore)
    .action(async (file: string, flags: { acceptLoss: string[]; json: boolean }) => {
      const { restoreCommand } = await import('./ledger.js');
      report(restoreCommand(world, { file, ...flags }));
    });
  ledger
    .command('check')
    .description(
      'Check the chains of the ledger, and pages and indexes where it is a file, or of a backup; nothing is changed.',
    )
    .argument('[file]', 'a backup instead of the ledger')
    .addOption(jsonOption())
    .action(async (file: string | undefined, { json }: { json: boolean }) => {
      const { checkCommand } = await import('./ledger.js');
      report(checkCommand(world, file === undefined ? { json } : { file, json }));
    });
}
