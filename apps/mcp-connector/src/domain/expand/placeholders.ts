import type { ServerConfig, UpstreamAuth } from '@uar/contracts';

export interface PlaceholderRules {
  /** Value of a variable, from the environment or the secrets folder; empty counts as unset. */
  readonly lookup: (name: string) => string | undefined;
  /** The only names that may be read; absent: all but the reserved ones. */
  readonly allowed?: readonly string[];
}

export type Expansion =
  | { readonly kind: 'expanded'; readonly config: ServerConfig; readonly secrets: readonly string[] }
  /** Every name that has no value, in order of appearance. */
  | { readonly kind: 'unresolved'; readonly missing: readonly string[] };

const placeholder = /\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;
const reserved = /^(?:UAR_|NATS_|PG)/;

/** Fills `${VAR}`, `${VAR:-default}` and `${env:VAR}`, once: a value that looks like a placeholder stays as it is. */
export function expandServer(config: ServerConfig, rules: PlaceholderRules): Expansion {
  const missing = new Set<string>();
  const values = new Set<string>();
  const fill = (text: string, emptyCounts = true): string =>
    text.replaceAll(placeholder, (_whole, name: string, fallback: string | undefined) => {
      const value = valueOf(name, fallback, rules);
      if (value === undefined || (value === '' && !emptyCounts)) missing.add(name);
      else if (value !== fallback) values.add(value);
      return value ?? '';
    });
  const fillAll = (record: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(Object.entries(record).map(([key, value]) => [key, fill(value)]));
  const expanded: ServerConfig = {
    ...config,
    ...(config.command === undefined ? {} : { command: fill(config.command) }),
    ...(config.cwd === undefined ? {} : { cwd: fill(config.cwd) }),
    ...(config.url === undefined ? {} : { url: fill(config.url, false) }),
    args: config.args.map((argument) => fill(argument)),
    env: fillAll(config.env),
    headers: fillAll(config.headers),
    ...(config.auth === undefined ? {} : { auth: filledAuth(config.auth, fill) }),
  };
  if (missing.size > 0) return { kind: 'unresolved', missing: [...missing] };
  return { kind: 'expanded', config: expanded, secrets: secretsOf(expanded, values) };
}

function filledAuth(auth: UpstreamAuth, fill: (text: string) => string): UpstreamAuth {
  const { type, flow, token_endpoint_auth_method, ...texts } = auth;
  const filled = Object.entries(texts).map(([member, text = '']) => [member, fill(text)]);
  return {
    ...{ type, flow, ...Object.fromEntries(filled) },
    ...(token_endpoint_auth_method === undefined ? {} : { token_endpoint_auth_method }),
  };
}

function valueOf(name: string, fallback: string | undefined, rules: PlaceholderRules): string | undefined {
  if (reserved.test(name)) return undefined;
  const readable = rules.allowed === undefined || rules.allowed.includes(name);
  const value = readable ? rules.lookup(name) : undefined;
  return value === undefined || value === '' ? fallback : value;
}

/** Whatever was filled in, every env and header value (and what follows a scheme word), and the secret parts of `auth` and the URL. */
function secretsOf(config: ServerConfig, filled: ReadonlySet<string>): string[] {
  const secrets = new Set(filled);
  for (const value of [...Object.values(config.env), ...Object.values(config.headers)]) {
    secrets.add(value);
    const credentials = /^\S+ (\S.*)$/.exec(value)?.[1];
    if (credentials !== undefined) secrets.add(credentials);
  }
  for (const value of [config.auth?.client_secret, config.auth?.private_key])
    if (value !== undefined) secrets.add(value);
  if (config.url !== undefined && URL.canParse(config.url)) {
    const url = new URL(config.url);
    for (const part of [url.username, url.password, url.search.slice(1), ...url.searchParams.values()])
      secrets.add(part);
  }
  secrets.delete('');
  return [...secrets];
}

/** Why a server cannot be reached. */
export function unresolvedText(missing: readonly string[]): string {
  return `unresolved placeholders: ${missing.join(', ')}`;
}
