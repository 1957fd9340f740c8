// The official conformance suite against products of its own, on a built tree: an upstream over stdio and over HTTP, through its own
// endpoint and where several meet. Fails when a scenario that is listed in passing.json fails, and when one passes that is not listed:
// the list stays true. The suite that knows what revisions require runs on Node 22 or later, this one's or that of e2e/peers.
import { fileURLToPath } from 'node:url';
import { startProduct } from '@uar/testkit';
import { startBearerProxy } from './bearer-proxy.mjs';
import { wrongAsClient } from './client/run.mjs';
import { suite, suite2026, wrongWithRun } from './suites.mjs';
import { startHttpUpstream } from './upstream/http.mjs';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

const runs = {
  sessions: { suite, args: ['--suite', 'all'], list: 'passing.json' },
  ...Object.fromEntries(
    ['2025-11-25', '2026-07-28'].map((revision) => [
      revision,
      { suite: suite2026, args: ['--requirements', revision], list: `passing-${revision}.json` },
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

/** What is wrong with the suite through this endpoint. */
async function wrongAt(product, { path, prefix, run }) {
  const proxy = await startBearerProxy(`${product.gateway}${path}`, () => product.token(), prefix);
  try {
    return await wrongWithRun(run.suite, ['server', '--url', proxy.url, ...run.args], run.list);
  } finally {
    proxy.close();
  }
}

async function wrongWith(upstream, title, endpoints) {
  const config = { mcp: { servers: { conf: { ...served, ...upstream } } } };
  const product = await startProduct({ bus: 'inprocess', config });
  const wrong = [];
  try {
    await untilListed(product.gateway, product.token());
    for (const { run = runs.sessions, ...endpoint } of endpoints) {
      const place = `${title}, through ${endpoint.path}, ${run.args.join(' ')}`;
      console.log(`\n${place}`);
      const found = await wrongAt(product, { ...endpoint, run });
      wrong.push(...found.map((line) => `${place}: ${line}`));
    }
    return wrong;
  } finally {
    await product.stop();
  }
}

const own = { path: '/mcp/servers/conf' };
const required =
  suite2026.node === undefined
    ? []
    : ['2025-11-25', '2026-07-28'].map((revision) => ({ ...own, run: runs[revision] }));
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
    ...(await wrongAsClient()),
  ];
  for (const line of wrong) console.log(line);
  process.exitCode = wrong.length === 0 ? 0 : 1;
} finally {
  http.close();
}
