import { Command, CommanderError } from 'commander';
import { addClientCommands } from './commands/client-program.js';
import { addLedgerCommands } from './commands/ledger/ledger-program.js';
import { addLocalCommands } from './commands/local-program.js';
import { addPolicyCommands } from './commands/policy/policy-program.js';
import { CommandFailure, exit, type ExitCode, type World } from './world.js';

/** Runs one command line (without node and script) to its exit code; never throws for what a user may do wrong. */
export async function runCommandLine(argv: readonly string[], world: World): Promise<ExitCode> {
  let code: ExitCode = exit.ok;
  const program = buildProgram(world, (result) => {
    code = result;
  });
  const [command] = argv;
  if (command !== undefined && !isKnown(program, command)) {
    world.err(`error: there is no command '${command}'\n(--help shows what there is)\n`);
    return exit.usage;
  }
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommandFailure) {
      world.err(`${error.message}\n`);
      return error.exitCode;
    }
    if (error instanceof CommanderError) return error.exitCode === 0 ? exit.ok : exit.usage;
    world.err(`${error instanceof Error ? error.message : String(error)}\n`);
    return exit.failed;
  }
}

/** Asked before the options are read: `--help` of a command that does not exist must not look like help. */
function isKnown(program: Command, word: string): boolean {
  return word.startsWith('-') || word === 'help' || program.commands.some((each) => each.name() === word);
}

function buildProgram(world: World, report: (code: ExitCode) => void): Command {
  const program = new Command('uar')
    .description('The trusted host between AI agents and their tools: start it, call it, look at it.')
    .addHelpText(
      'after',
      '\nExit codes: 0 ok, 1 refused or failed, 2 usage, 3 not reachable.\n' +
        'UAR_URL and UAR_TOKEN name the server; default is the one that runs on this data folder.',
    )
    .exitOverride()
    .configureOutput({ writeOut: (text) => world.out(text), writeErr: (text) => world.err(text) })
    .showHelpAfterError('(--help shows what there is)');
  addLocalCommands(program, world, report);
  addClientCommands(program, world, report);
  addLedgerCommands(program, world, report);
  addPolicyCommands(program, world, report);
  return program;
}
