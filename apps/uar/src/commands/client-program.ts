import type { Command } from 'commander';
import type { ExitCode, World } from '../world.js';
import { decideApproval, listApprovals } from './approvals.js';
import { callTool } from './call.js';
import { collect, jsonOption, wholeNumber } from './option-types.js';
import { exportReceipts, listReceipts } from './receipts.js';
import { addServer, connectServer, listServers, removeServer, testServer } from './servers.js';
import { listTools } from './tools.js';

type Report = (code: ExitCode) => void;
interface Json {
  readonly json: boolean;
}

/** Commands that speak to a running server. */
export function addClientCommands(program: Command, world: World, report: Report): void {
  program
    .command('call')
    .description('Call a tool and print its result.')
    .argument('<tool>', 'public name, e.g. everything__echo')
    .argument('[json]', 'arguments, a JSON object', '{}')
    .option('--run-id <id>', 'run that the call belongs to')
    .option('--deadline-ms <ms>', 'longest time for the whole call', wholeNumber)
    .addOption(jsonOption())
    .action(
      async (tool: string, argumentsText: string, flags: Json & { runId?: string; deadlineMs?: number }) => {
        report(await callTool(world, { tool, argumentsText, ...flags }));
      },
    );
  program
    .command('tools')
    .description('List the tools that you may discover.')
    .option('--server <name>', 'those of one server')
    .option('--query <text>', 'those that match a text')
    .addOption(jsonOption())
    .action(async (flags: Json & { server?: string; query?: string }) => {
      report(await listTools(world, flags));
    });
  addServers(program, world, report);
  addApprovals(program, world, report);
  addReceipts(program, world, report);
}

interface AddFlags extends Json {
  readonly url?: string;
  readonly env: readonly string[];
  readonly header: readonly string[];
  readonly cwd?: string;
  readonly trustAnnotations: boolean;
  readonly connect: boolean;
}

function addServers(program: Command, world: World, report: Report): void {
  const servers = program.command('servers').description('List, add, test or remove MCP servers.');
  servers
    .command('list', { isDefault: true })
    .description('List the servers and their state.')
    .addOption(jsonOption())
    .action(async (flags: Json) => report(await listServers(world, flags)));
  servers
    .command('add')
    .description('Add a server, or replace it: `uar servers add time -- time-mcp --utc`.')
    .argument('<name>')
    .argument('[command...]', 'program and arguments of a stdio server')
    .option('--url <url>', 'URL of a streamable HTTP server')
    .option('--env <NAME=VALUE>', 'environment of the program; repeatable', collect, [])
    .option('--header <NAME:VALUE>', 'header sent to the URL; repeatable', collect, [])
    .option('--cwd <folder>', 'working folder of the program')
    .option('--trust-annotations', 'vouch for the hints of the server', false)
    .option('--no-connect', 'keep it without connecting')
    .addOption(jsonOption())
    .action(async (name: string, command: string[], flags: AddFlags) => {
      report(await addServer(world, { name, command, ...flags }));
    });
  addConnect(servers, world, report);
  for (const [verb, description, run] of [
    ['rm', 'Remove a server.', removeServer],
    ['test', 'Ask a server something harmless.', testServer],
  ] as const)
    servers
      .command(verb)
      .description(description)
      .argument('<name>')
      .addOption(jsonOption())
      .action(async (name: string, { json }: Json) => report(await run(world, { name, json })));
}

function addConnect(servers: Command, world: World, report: Report): void {
  servers
    .command('connect')
    .description('Print where to agree to what a server behind OAuth wants.')
    .argument('<name>')
    .option('--own', 'connect your own account, where everybody has one', false)
    .addOption(jsonOption())
    .action(async (name: string, flags: Json & { own: boolean }) =>
      report(await connectServer(world, { name, ...flags })),
    );
}

function addApprovals(program: Command, world: World, report: Report): void {
  const approvals = program.command('approvals').description('List or decide approvals.');
  approvals
    .command('list', { isDefault: true })
    .description('List approvals that you may decide, and your own.')
    .option('--status <status>', 'pending, approved, ..., or all', 'pending')
    .addOption(jsonOption())
    .action(async (flags: Json & { status: string }) => report(await listApprovals(world, flags)));
  for (const decision of ['approve', 'reject'] as const)
    approvals
      .command(decision)
      .description(decision === 'approve' ? 'Let a call run.' : 'Refuse a call.')
      .argument('<id>', 'appr_...')
      .option('--reason <text>', 'kept with the vote')
      .addOption(jsonOption())
      .action(async (id: string, flags: Json & { reason?: string }) => {
        report(await decideApproval(world, { id, decision, ...flags }));
      });
}

interface VerifyFlags extends Json {
  readonly file?: string;
  readonly heads?: string;
  readonly publicKey?: string;
  readonly tenant?: string;
  readonly offline: boolean;
}

const whereHeadsAre = `
A running server checks its own chain against its own heads. To check without trusting it, keep heads.jsonl and
keys/receipts.pub (beside keys.receipt_private_file, where that is set) elsewhere, and hold an export against them:
  uar receipts export --out all.ndjson
  uar receipts verify --file all.ndjson --heads heads.jsonl --public-key receipts.pub`;

function addReceipts(program: Command, world: World, report: Report): void {
  const receipts = program.command('receipts').description('List, verify or export receipts.');
  receipts
    .command('list', { isDefault: true })
    .description('List receipts.')
    .option('--tool <name>', 'those of one tool')
    .option('--outcome <outcome>', 'those with one outcome')
    .option('--since <time>', 'those since a time (ISO 8601)')
    .addOption(jsonOption())
    .action(async (flags: Json & { tool?: string; outcome?: string; since?: string }) => {
      report(await listReceipts(world, flags));
    });
  receipts
    .command('verify')
    .description('Check the chain: of the running server, of the ledger on this machine, or of an export.')
    .option('--file <file>', 'an export (NDJSON), checked without any server')
    .option(
      '--heads <file>',
      'signed heads to hold the chain against: <data dir>/heads.jsonl, or a copy of it',
    )
    .option('--public-key <file>', 'PEM of the key that signed them: <data dir>/keys/receipts.pub')
    .option('--tenant <tenant>', 'one tenant alone')
    .option('--offline', 'read the ledger file beside a running server', false)
    .addOption(jsonOption())
    .addHelpText('after', whereHeadsAre)
    .action(async (flags: VerifyFlags) => {
      const { verifyReceipts } = await import('./verify-receipts.js');
      report(await verifyReceipts(world, flags));
    });
  receipts
    .command('export')
    .description('Print the chain as NDJSON.')
    .option('--out <file>', 'write into a new file instead')
    .addOption(jsonOption())
    .action(async (flags: { out?: string }) => report(await exportReceipts(world, flags)));
}
