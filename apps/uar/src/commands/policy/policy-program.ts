import type { Command } from 'commander';
import type { ExitCode, World } from '../../world.js';
import { collect, jsonOption, listOf, wholeNumber } from '../option-types.js';

type Report = (code: ExitCode) => void;
interface Json {
  readonly json: boolean;
}

/** Check and test need nothing running; explain, simulate and replay ask the server that runs. */
export function addPolicyCommands(program: Command, world: World, report: Report): void {
  const policy = program.command('policy').description('Check, test, explain, simulate or replay policies.');
  addOffline(policy, world, report);
  addExplain(policy, world, report);
  addCandidates(policy, world, report);
}

function addOffline(policy: Command, world: World, report: Report): void {
  const folder = ['[folder]', 'policies; default: governance.policies_dir'] as const;
  policy
    .command('check')
    .description('List everything that would keep policies from being loaded.')
    .argument(...folder)
    .addOption(jsonOption())
    .action(async (path: string | undefined, { json }: Json) => {
      const { checkFolder } = await import('./check-folder.js');
      report(await checkFolder(world, path === undefined ? { json } : { folder: path, json }));
    });
  policy
    .command('test')
    .description('Decide every row of cases/*.yaml with the real engine.')
    .argument(...folder)
    .addOption(jsonOption())
    .action(async (path: string | undefined, { json }: Json) => {
      const { testFolder } = await import('./test-folder.js');
      report(await testFolder(world, path === undefined ? { json } : { folder: path, json }));
    });
}

interface ExplainFlags extends Json {
  readonly sub?: string;
  readonly roles?: readonly string[];
  readonly groups?: readonly string[];
  readonly agent?: string;
  readonly runId?: string;
  readonly at?: string;
}

function addExplain(policy: Command, world: World, report: Report): void {
  policy
    .command('explain')
    .description('Say how a call would be decided, stage by stage, and why.')
    .argument('<tool>', 'public name, e.g. everything__echo')
    .argument('[json]', 'arguments, a JSON object', '{}')
    .option('--sub <id>', 'somebody else than you')
    .option('--roles <list>', 'its roles, separated by commas', listOf)
    .option('--groups <list>', 'its groups, separated by commas', listOf)
    .option('--agent <id>', 'the agent that acts for it')
    .option('--run-id <id>', 'run that the call would belong to')
    .option('--at <time>', 'another time than now (ISO 8601)')
    .addOption(jsonOption())
    .action(async (tool: string, argumentsText: string, flags: ExplainFlags) => {
      const { explainCall } = await import('./explain.js');
      report(await explainCall(world, { tool, argumentsText, ...flags }));
    });
}

interface SimulateFlags extends Json {
  readonly principal: readonly string[];
  readonly tool: readonly string[];
}

function addCandidates(policy: Command, world: World, report: Report): void {
  const paths = ['<paths...>', "folders or .cedar files: the tenant's policies, t/<name>"] as const;
  policy
    .command('simulate')
    .description('Set what the files would decide beside what is decided now.')
    .argument(...paths)
    .option('--principal <sub:role,role>', 'for whom; repeatable', collect, [])
    .option('--tool <name>', 'about which tool; repeatable; default: all', collect, [])
    .addOption(jsonOption())
    .action(async (files: string[], { principal: principals, tool: tools, json }: SimulateFlags) => {
      const { simulate } = await import('./simulate.js');
      report(await simulate(world, { paths: files, principals, tools, json }));
    });
  policy
    .command('replay')
    .description('List the recorded decisions that the files would have made differently.')
    .argument(...paths)
    .option('--since <time>', 'those since a time (ISO 8601)')
    .option('--limit <count>', 'at most so many, newest first', wholeNumber)
    .addOption(jsonOption())
    .action(async (files: string[], flags: Json & { since?: string; limit?: number }) => {
      const { replay } = await import('./replay.js');
      report(await replay(world, { paths: files, ...flags }));
    });
}
