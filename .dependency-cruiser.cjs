/** The import law (docs/adr, ARCHITECTURE.md). Fails closed: what no rule allows by its room is an error. */
const owner = (name, packages, where) => ({
  name: `${name}-has-one-owner`,
  comment: `${name} is imported by ${where} alone`,
  severity: 'error',
  from: {
    pathNot: `${where}|^libs/testkit/|\\.spec\\.ts$|\\.fixture\\.(ts|mjs)$|/test/|^e2e/|^bench/|^tools/`,
  },
  to: { path: packages },
});

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    { name: 'no-unresolved', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'contracts-import-zod-only',
      severity: 'error',
      from: { path: '^libs/contracts/', pathNot: '\\.spec\\.ts$' },
      to: { pathNot: '^libs/contracts/|node_modules/zod/' },
    },
    {
      name: 'libs-never-import-apps',
      severity: 'error',
      from: { path: '^libs/(?!testkit/)' },
      to: { path: '^apps/' },
    },
    {
      name: 'testkit-is-for-tests',
      severity: 'error',
      from: { pathNot: '^libs/testkit/|\\.spec\\.ts$|\\.fixture\\.ts$|^e2e/|^bench/' },
      to: { path: '^libs/testkit/' },
    },
    {
      name: 'apps-never-import-another-app',
      severity: 'error',
      from: { path: '^apps/([^/]+)/', pathNot: '^apps/(uar|embedded)/' },
      to: { path: '^apps/([^/]+)/', pathNot: '^apps/$1/' },
    },
    {
      name: 'launcher-imports-doors-only',
      severity: 'error',
      from: { path: '^apps/uar/' },
      to: {
        path: '^apps/(?!uar/)',
        pathNot: '^apps/[^/]+/(src|dist)/(module|domain/index|adapters/index)\\.',
      },
    },
    {
      name: 'domain-is-pure',
      severity: 'error',
      from: { path: '^apps/([^/]+)/src/domain/', pathNot: '\\.spec\\.ts$' },
      to: {
        pathNot:
          '^apps/$1/src/domain/|^libs/(contracts|json-text|catalog|nearest)/|node_modules/(zod|@types)/|^(node:)?crypto$',
      },
    },
    {
      name: 'controllers-never-see-adapters',
      severity: 'error',
      from: { path: '\\.controller\\.ts$' },
      to: { path: '/src/adapters/', pathNot: '/src/adapters/mcp/' },
    },
    {
      name: 'http-carries-features-and-knows-none',
      comment: 'only the list of all routes names the features',
      severity: 'error',
      from: { path: '^apps/gateway/src/http/(?!routes\\.ts$)' },
      to: { path: '^apps/gateway/src/(calls|events|governance|mcp|operations|pages|runs|servers)/' },
    },
    owner('nats', 'node_modules/@nats-io/', '^libs/bus/'),
    owner('cedar', 'node_modules/@cedar-policy/', '^apps/governance-decider/src/adapters/'),
    owner(
      'mcp-sdk',
      'node_modules/@modelcontextprotocol/sdk/',
      '^apps/(gateway|mcp-connector)/src/adapters/',
    ),
    owner('sqlite', 'node_modules/better-sqlite3/', '^libs/ledger/'),
    owner('postgres', 'node_modules/(@types/)?pg/', '^libs/ledger/'),
    owner('jwt', 'node_modules/(@nestjs/jwt|jwks-rsa|jose)/', '^libs/identity/'),
    owner('http-proxy', 'node_modules/(@types/)?http-proxy/', '^apps/jwt-dev-proxy/'),
    owner('child-process', '^(node:)?child_process$', '^libs/sandbox/'),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // What stands in e2e/peers is resolved from there, once it is installed.
    exclude: { path: '(^|/)(dist|\\.nx)/|^e2e/peers/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      conditionNames: ['@uar/source', 'import', 'node', 'default', 'types'],
      exportsFields: ['exports'],
      extensions: ['.ts', '.js', '.mjs', '.cjs', '.json', '.d.ts'],
    },
  },
};
