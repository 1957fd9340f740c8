import { nearest } from '@uar/nearest';
import type { Problem } from '../check/problem.js';
import { mergeTrees, type Tree } from './tree.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A copy of the process's environment, taken once: later changes are not seen. */
export function processEnvironment(): Environment {
  return { ...process.env };
}

type Kind = 'text' | 'number' | 'list';

/** Every key of the configuration that a variable can set. */
export const configVariables: Readonly<Record<string, { path: string; kind: Kind }>> = {
  UAR_PROFILE: { path: 'profile', kind: 'text' },
  UAR_DATA_DIR: { path: 'data_dir', kind: 'text' },
  UAR_LOG_LEVEL: { path: 'log_level', kind: 'text' },
  UAR_HOST: { path: 'server.host', kind: 'text' },
  UAR_PORT: { path: 'server.port', kind: 'number' },
  UAR_PUBLIC_URL: { path: 'server.public_url', kind: 'text' },
  UAR_MANAGEMENT_HOST: { path: 'server.management_host', kind: 'text' },
  UAR_MANAGEMENT_PORT: { path: 'server.management_port', kind: 'number' },
  UAR_SHUTDOWN_GRACE_SECONDS: { path: 'server.shutdown_grace_seconds', kind: 'number' },
  UAR_JWT_SECRET: { path: 'security.jwt_secret', kind: 'text' },
  UAR_JWT_SECRET_FILE: { path: 'security.jwt_secret_file', kind: 'text' },
  UAR_JWKS_URL: { path: 'security.jwks_url', kind: 'text' },
  UAR_JWT_ISSUER: { path: 'security.jwt_issuer', kind: 'text' },
  UAR_JWT_AUDIENCE: { path: 'security.jwt_audience', kind: 'list' },
  UAR_POLICIES_DIR: { path: 'governance.policies_dir', kind: 'text' },
  UAR_LEDGER_URL: { path: 'ledger.url', kind: 'text' },
  UAR_LEDGER_PASSWORD_FILE: { path: 'ledger.password_file', kind: 'text' },
  UAR_DATA_KEY_FILE: { path: 'keys.data_key_file', kind: 'text' },
  UAR_GRANT_PRIVATE_FILE: { path: 'keys.grant_private_file', kind: 'text' },
  UAR_GRANT_PUBLIC_FILE: { path: 'keys.grant_public_file', kind: 'text' },
  UAR_RECEIPT_PRIVATE_FILE: { path: 'keys.receipt_private_file', kind: 'text' },
  UAR_STATE_KEY_FILE: { path: 'keys.state_key_file', kind: 'text' },
};

/** Variables that are read elsewhere; here so that a slip in one of them is noticed too. */
const otherVariables = [
  'UAR_CONFIG',
  'UAR_BUS',
  'UAR_URL',
  'UAR_TOKEN',
  'UAR_NATS_USER',
  'UAR_NATS_PASSWORD_FILE',
  'UAR_NATS_SERVER',
  'UAR_PROBE_PORT',
  'UAR_SECRETS_DIR',
  'UAR_WEBHOOK_SECRET',
  'UAR_CHILD_MARKER',
  'UAR_TEST_REQUIRE',
  'UAR_E2E_LEDGER',
  'UAR_POSTGRES_BIN',
  'UAR_PROXY_LISTEN',
  'UAR_PROXY_UPSTREAM',
  'UAR_PROXY_CONFIG',
  'UAR_PROXY_SUB',
  'UAR_PROXY_NAME',
  'UAR_PROXY_ROLES',
  'UAR_PROXY_GROUPS',
  'UAR_PROXY_TENANT',
  'UAR_PROXY_AGENT',
  'UAR_PROXY_TTL_SECS',
];

export interface EnvironmentLayer {
  readonly tree: Tree;
  /** Variable by the dotted path that it sets. */
  readonly variables: ReadonlyMap<string, string>;
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
}

/** What the environment says of the configuration. An empty value counts as unset. */
export function readEnvironment(env: Environment): EnvironmentLayer {
  const trees: Tree[] = [];
  const variables = new Map<string, string>();
  const problems: Problem[] = [];
  for (const [name, { path, kind }] of Object.entries(configVariables)) {
    const text = env[name];
    if (text === undefined || text === '') continue;
    const value = valueOf(text, kind);
    if (value === undefined) {
      problems.push({ path: name, message: numberText(text) });
      continue;
    }
    trees.push(nest(path.split('.'), value));
    variables.set(path, name);
  }
  return { tree: mergeTrees(trees), variables, problems, warnings: slips(env) };
}

function valueOf(text: string, kind: Kind): unknown {
  switch (kind) {
    case 'text':
      return text;
    case 'number':
      return /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : undefined;
    case 'list': {
      const items = text.split(',').map((item) => item.trim());
      return items.length === 1 ? items[0] : items;
    }
  }
}

function numberText(text: string): string {
  if (text.startsWith('tcp://'))
    return 'is no number but a Kubernetes service link; set enableServiceLinks: false in the pod';
  return 'is no number';
}

function nest(path: readonly string[], value: unknown): Tree {
  const [head = '', ...rest] = path;
  return { [head]: rest.length === 0 ? value : nest(rest, value) };
}

function slips(env: Environment): Problem[] {
  const known = [...Object.keys(configVariables), ...otherVariables];
  return Object.keys(env)
    .filter((name) => name.toUpperCase().startsWith('UAR_') && !known.includes(name))
    .flatMap((name) => {
      const close = nearest(name, known);
      return close === undefined ? [] : [{ path: name, message: `is not read; did you mean ${close}?` }];
    });
}
