import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryDir } from '@uar/testkit';
import type { Violation } from './checker.js';

/** A build with one fault in it, of the kind that such systems were found to have: the checker has to see it. */
export interface BrokenBuild {
  readonly name: string;
  /** File of the build, relative to the repository. */
  readonly file: string;
  readonly edits: readonly { readonly from: string; readonly to: string }[];
  /** Whom to kill, so that the fault comes to bear. */
  readonly aim: string;
  /** Rules of which at least one is reported as broken. */
  readonly breaks: readonly Violation['rule'][];
}

export const brokenBuilds: readonly BrokenBuild[] = [
  {
    name: 'a gateway that dispatches again what may have run',
    file: 'apps/gateway/dist/domain/dispatch/dispatcher.js',
    edits: [
      { from: 'const tried = [permission.target.instance];', to: 'const tried = [];' },
      {
        from: 'return reply.kind === "no_responders" ||',
        to: 'return reply.kind === "transport_failure" || reply.kind === "no_responders" ||',
      },
    ],
    aim: 'upstream',
    breaks: ['no_double_execution', 'did_not_run_never_ran'],
  },
  {
    name: 'a gateway that says of a broken transport that nothing ran',
    file: 'apps/gateway/dist/domain/dispatch/ending-of-reply.js',
    edits: [{ from: 'return { outcome: "transport_failure" };', to: 'return { outcome: "unavailable" };' }],
    aim: 'upstream',
    breaks: ['did_not_run_never_ran'],
  },
  {
    name: 'a ledger that releases a call without spending its approval',
    file: 'libs/ledger/dist/operations/approvals/approvals.js',
    edits: [{ from: 'if (rows.consume(ask))', to: 'if (true)' }],
    aim: 'upstream',
    breaks: ['no_execution_without_consumed_approval'],
  },
  {
    name: 'a host that runs other arguments than were granted',
    file: 'apps/mcp-connector/dist/domain/calls/granted-request.js',
    edits: [
      {
        from: 'new JsonText(compact(call.arguments_json))',
        to: `new JsonText(compact(call.arguments_json).replace('"wait_ms":', '"wait_ms":1'))`,
      },
    ],
    aim: 'upstream',
    breaks: ['no_execution_without_consumed_approval'],
  },
  {
    name: 'a gateway whose receipt says another outcome than its answer',
    file: 'apps/gateway/dist/domain/receipt/receipt-bodies.js',
    edits: [
      {
        from: 'outcome: ending.outcome,',
        to: 'outcome: ending.outcome === "transport_failure" ? "completed" : ending.outcome,',
      },
    ],
    aim: 'upstream',
    breaks: ['one_outcome_per_call'],
  },
  {
    name: 'a ledger that links a receipt to nothing',
    file: 'libs/ledger/dist/operations/receipts.js',
    edits: [
      {
        from: 'prevHash: before?.hash ?? genesisHash',
        to: 'prevHash: genesisHash',
      },
    ],
    aim: 'upstream',
    breaks: ['the_chain_verifies'],
  },
];

/** A copy of the build with the fault in it. Fails where the place of the fault is not found exactly once. */
export function breakBuild({ name, file, edits }: BrokenBuild): { readonly root: string; remove(): void } {
  const root = mkdtempSync(join(tmpdir(), 'uar-broken-'));
  for (const part of ['apps', 'libs'])
    for (const member of readdirSync(join(repositoryDir, part))) copyMember(root, join(part, member));
  linkPackages(root);
  for (const entry of ['deploy', 'package.json']) symlinkSync(join(repositoryDir, entry), join(root, entry));
  let text = readFileSync(join(root, file), 'utf8');
  for (const { from, to } of edits) {
    if (text.split(from).length !== 2) throw new Error(`${name}: ${file} does not hold once: ${from}`);
    text = text.replace(from, () => to);
  }
  writeFileSync(join(root, file), text);
  return { root, remove: () => rmSync(root, { recursive: true, force: true }) };
}

function copyMember(root: string, member: string): void {
  const from = join(repositoryDir, member);
  if (!existsSync(join(from, 'dist'))) return;
  mkdirSync(join(root, member), { recursive: true });
  for (const entry of ['package.json', 'dist'])
    cpSync(join(from, entry), join(root, member, entry), { recursive: true });
}

/** Other people's packages as they are, ours from the copy. */
function linkPackages(root: string): void {
  const packages = join(repositoryDir, 'node_modules');
  mkdirSync(join(root, 'node_modules', '@uar'), { recursive: true });
  for (const entry of readdirSync(packages))
    if (entry !== '@uar') symlinkSync(join(packages, entry), join(root, 'node_modules', entry));
  for (const part of ['apps', 'libs'])
    for (const member of readdirSync(join(root, part))) {
      const manifest = readFileSync(join(root, part, member, 'package.json'), 'utf8');
      const { name } = JSON.parse(manifest) as { name: string };
      symlinkSync(join(root, part, member), join(root, 'node_modules', name));
    }
}
