import type { ServerConfig, ServerView } from '@uar/contracts';

type Warning = ServerView['warnings'][number];

const secretLooking = /TOKEN|SECRET|KEY|PASS|AUTH|CREDENTIAL|COOKIE|BEARER|SIGNATURE/i;
const placeholder = /\$\{[A-Za-z_][A-Za-z0-9_]*(?::-([^}]*))?\}/g;
const schemes = /^(?:bearer|basic|token|apikey)(?:\s+|$)/i;

/** A warning for each env, header or member of `auth` whose name promises a secret and whose value is written out. Names no value. */
export function literalSecrets(config: ServerConfig): Warning[] {
  const { client_secret = '', private_key = '' } = config.auth ?? {};
  const ofAuth = Object.entries({ 'auth.client_secret': client_secret, 'auth.private_key': private_key });
  return [...Object.entries(config.env), ...Object.entries(config.headers), ...ofAuth]
    .filter(([key, value]) => secretLooking.test(key) && isLiteral(value))
    .map(([key]) => ({
      code: 'literal_secret',
      key,
      message: `${key} looks like a secret and is written out; a placeholder keeps it out of the configuration`,
    }));
}

function isLiteral(value: string): boolean {
  const found = [...value.matchAll(placeholder)];
  if (found.length > 0) return found.some(([, otherwise]) => otherwise !== undefined && otherwise !== '');
  return value.trim().replace(schemes, '') !== '';
}
