import { isLoopbackHost, isNetwork } from './loopback.js';
import { ledgerProblems } from './ledger.js';
import type { Problem } from './problem.js';
import type { UarConfig } from '../schema.js';
import { serverNameProblems } from './server-names.js';

/** One rule over several keys. It is left out while a key that it reads has the wrong shape. */
interface Rule {
  readonly reads: readonly string[];
  check(config: UarConfig): readonly Problem[];
}

const problem = (path: string, message: string): Problem[] => [{ path, message }];
const none: Problem[] = [];
const hasSecret = ({ security }: UarConfig) =>
  security.jwt_secret !== undefined || security.jwt_secret_file !== undefined;
const loopbackOnly = ({ server }: UarConfig) =>
  isLoopbackHost(server.host) && isLoopbackHost(server.management_host);

const identityRules: readonly Rule[] = [
  {
    reads: ['security.jwt_secret', 'security.jwt_secret_file', 'security.jwks_url'],
    check: (config) =>
      hasSecret(config) && config.security.jwks_url !== undefined
        ? problem('security', 'a secret and jwks_url exclude each other')
        : none,
  },
  {
    reads: ['profile', 'security.jwks_url', 'security.allow_shared_secret', 'security.jwt_secret'],
    check: (config) => {
      const { jwks_url, allow_shared_secret } = config.security;
      if (config.profile !== 'server-full' || jwks_url !== undefined) return none;
      if (!allow_shared_secret)
        return problem('security.jwks_url', 'profile server-full needs jwks_url (or allow_shared_secret)');
      return hasSecret(config) ? none : problem('security.jwt_secret', 'allow_shared_secret needs a secret');
    },
  },
  ...(['jwt_issuer', 'jwt_audience'] as const).map((key): Rule => ({
    reads: ['security.jwks_url', `security.${key}`],
    check: ({ security }) =>
      security.jwks_url !== undefined && security[key] === undefined
        ? problem(`security.${key}`, 'is required with jwks_url')
        : none,
  })),
  {
    reads: ['profile', 'security.anonymous', 'server.host', 'server.management_host'],
    check: (config) =>
      config.security.anonymous && !(config.profile === 'minimal' && loopbackOnly(config))
        ? problem('security.anonymous', 'is allowed only in profile minimal with loopback listeners')
        : none,
  },
];

const serverRules: readonly Rule[] = [
  {
    reads: ['profile'],
    check: ({ profile }) =>
      profile === 'embedded-mobile'
        ? problem(
            'profile',
            'embedded-mobile is for applications that embed the plane; services run minimal or server-full',
          )
        : none,
  },
  {
    reads: ['profile', 'governance.enabled', 'server.host', 'server.management_host'],
    check: (config) =>
      !config.governance.enabled && !(config.profile === 'minimal' && loopbackOnly(config))
        ? problem('governance.enabled', 'may be false only in profile minimal with loopback listeners')
        : none,
  },
  {
    reads: ['server.port', 'server.management_port', 'server.host', 'server.management_host'],
    check: ({ server }) =>
      server.port !== 0 && server.port === server.management_port
        ? problem('server.management_port', `is the gateway's port too (${server.port})`)
        : none,
  },
  {
    reads: ['server.trusted_proxies'],
    check: ({ server }) => networks('server.trusted_proxies', server.trusted_proxies),
  },
  {
    reads: ['mcp.allowed_private_networks'],
    check: ({ mcp }) => networks('mcp.allowed_private_networks', mcp.allowed_private_networks ?? []),
  },
  {
    reads: ['server.allowed_origins'],
    check: ({ server }) =>
      server.allowed_origins.flatMap((origin, index) =>
        isOrigin(origin)
          ? none
          : problem(
              `server.allowed_origins.${index}`,
              'is no origin (scheme://host[:port], nothing after it)',
            ),
      ),
  },
];

/** Keys of parts that this version does not have. A switch that turns nothing on is refused, not ignored. */
const reserved: readonly { readonly key: string; isOn(config: UarConfig): boolean }[] = [
  { key: 'native_tools.web_fetch_enabled', isOn: ({ native_tools }) => native_tools.web_fetch_enabled },
  {
    key: 'native_tools.terminal_exec_enabled',
    isOn: ({ native_tools }) => native_tools.terminal_exec_enabled,
  },
  { key: 'native_tools.memory_enabled', isOn: ({ native_tools }) => native_tools.memory_enabled },
  {
    key: 'native_tools.session_search_enabled',
    isOn: ({ native_tools }) => native_tools.session_search_enabled,
  },
  { key: 'memory.enabled', isOn: ({ memory }) => memory.enabled },
  { key: 'memory.mcp_http_enabled', isOn: ({ memory }) => memory.mcp_http_enabled },
];

const reservedRules: readonly Rule[] = reserved.map(({ key, isOn }) => ({
  reads: [key],
  check: (config) => (isOn(config) ? problem(key, 'is reserved: this version does not have it') : none),
}));

const toolRules: readonly Rule[] = [
  { reads: ['approvals.webhook'], check: ({ approvals }) => webhookUrl(approvals.webhook?.url) },
  { reads: ['ledger'], check: ledgerProblems },
  { reads: ['memory.mcp_http_path'], check: ({ memory }) => memoryPath(memory.mcp_http_path) },
  {
    reads: ['native_tools.web_fetch_allowed_ports'],
    check: ({ native_tools }) =>
      native_tools.web_fetch_allowed_ports.flatMap((port, index) =>
        port >= 1 && port <= 65_535
          ? none
          : problem(`native_tools.web_fetch_allowed_ports.${index}`, 'is no port (1-65535)'),
      ),
  },
  { reads: [], check: serverNameProblems },
];

/** Everything that only shows when several keys are looked at together. */
export function ruleProblems(config: UarConfig, badPaths: readonly string[]): Problem[] {
  const spoilt = (key: string) =>
    badPaths.some((bad) => bad === key || bad.startsWith(`${key}.`) || key.startsWith(`${bad}.`));
  return [...identityRules, ...serverRules, ...reservedRules, ...toolRules]
    .filter((rule) => !rule.reads.some(spoilt))
    .flatMap((rule) => rule.check(config));
}

function networks(path: string, texts: readonly string[]): Problem[] {
  return texts.flatMap((text, index) =>
    isNetwork(text) ? none : problem(`${path}.${index}`, 'is no address and no CIDR range'),
  );
}

function webhookUrl(text: string | undefined): Problem[] {
  if (text === undefined) return none;
  const { protocol, username, password } = new URL(text);
  if (protocol !== 'http:' && protocol !== 'https:')
    return problem('approvals.webhook.url', 'is neither http nor https');
  return username === '' && password === ''
    ? none
    : problem('approvals.webhook.url', 'may hold no user name and no password');
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text.toLowerCase();
}

const routes = ['/api', '/mcp/servers', '/mcp/uar', '/.well-known', '/console', '/approvals', '/assets'];
const leafRoutes = ['/', '/mcp', '/healthz', '/readyz', '/metrics', '/openapi.json'];

function memoryPath(path: string): Problem[] {
  const under = (route: string) => path === route || path.startsWith(`${route}/`);
  if (!/^(\/[A-Za-z0-9._~-]+)+$/.test(path) || /\/\.\.?(\/|$)/.test(path))
    return problem('memory.mcp_http_path', 'is no plain absolute path such as /mcp/memory');
  return routes.some(under) || leafRoutes.includes(path)
    ? problem('memory.mcp_http_path', `${path} is taken by another route`)
    : none;
}
