import { stringify } from 'yaml';
import type { UarConfig } from './schema.js';
import { isTree } from './sources/tree.js';

const hidden = '***';

/** The configuration as YAML, fit to be shown: no secret, no env or header value, no credential in an URL. */
export function printConfig(config: UarConfig): string {
  return stringify(redactConfig(config), { lineWidth: 0 });
}

/** The same as a value. */
export function redactConfig(config: UarConfig): unknown {
  return redact(config, []);
}

function redact(value: unknown, path: readonly string[]): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item, index) => redact(item, [...path, String(index)]));
    return path.at(-1) === 'args' ? redactArguments(items) : items;
  }
  if (isTree(value))
    return Object.fromEntries(
      Object.entries(value)
        .filter(([key]) => !(isWebhook(path) && key === 'secret'))
        .map(([key, item]) => [key, isSecret(key, path) ? hide(item) : redact(item, [...path, key])]),
    );
  if (isWebhook(path.slice(0, -1)) && path.at(-1) === 'url') return redactPath(value);
  return typeof value === 'string' ? redactUrls(value) : value;
}

function isWebhook(path: readonly string[]): boolean {
  return path.join('.') === 'approvals.webhook';
}

/** Of services that post into a chat, the path is the credential. */
function redactPath(url: unknown): unknown {
  if (typeof url !== 'string' || !URL.canParse(url)) return url;
  const { origin, pathname } = new URL(url);
  return pathname === '/' ? origin : `${origin}/${hidden}`;
}

function hide(value: unknown): unknown {
  return value === undefined ? undefined : hidden;
}

function isSecret(key: string, path: readonly string[]): boolean {
  const parent = path.at(-1);
  const ofServer = path.at(-3) === 'servers';
  if (ofServer && parent === 'auth') return key === 'client_secret' || key === 'private_key';
  return key === 'jwt_secret' || (ofServer && (parent === 'env' || parent === 'headers'));
}

const secretName = /(secret|token|passw|api-?_?key|credential|auth)/i;

/** `--token x`, `--token=x` and `TOKEN=x` lose their value. */
function redactArguments(items: readonly unknown[]): unknown[] {
  return items.map((item, index) => {
    if (typeof item !== 'string') return item;
    const before = items[index - 1];
    if (typeof before === 'string' && /^--?[\w-]+$/.test(before) && secretName.test(before)) return hidden;
    const [name = '', ...value] = item.split('=');
    return value.length > 0 && secretName.test(name) && !name.includes('://') ? `${name}=${hidden}` : item;
  });
}

/** User-info and query values of every URL in a text become `***`; the text may hold placeholders. */
export function redactUrls(text: string): string {
  return text.replace(/[a-z][a-z0-9+.-]*:\/\/[^\s"'<>]*/gi, (url) => {
    const [beforeFragment = '', ...fragment] = url.split('#');
    const [place = '', ...query] = beforeFragment.split('?');
    const open = place.replace(/^([^/]*\/\/)[^/]*@/, `$1${hidden}@`);
    const values = query.join('?').replace(/=[^&]*/g, `=${hidden}`);
    return `${open}${query.length === 0 ? '' : `?${values}`}${fragment.length === 0 ? '' : `#${hidden}`}`;
  });
}
