import { z } from 'zod';

const text = z.string().min(1).optional();

const Fields = z.strictObject({
  type: z.literal('oauth').describe('How the connector proves itself: OAuth 2.1.'),
  flow: z
    .enum(['authorization_code', 'client_credentials', 'token_exchange'])
    .default('authorization_code')
    .describe(
      'Who stands behind a token: someone who agreed, the client itself, or the caller, by theirs (RFC 8693).',
    ),
  client_id: text.describe('Client id; without one the client registers itself where it may (RFC 7591).'),
  client_secret: text
    .meta({ secret: true })
    .describe('Its secret; stored encrypted, never shown. Excludes private_key.'),
  private_key: text
    .meta({ secret: true })
    .describe('PEM of its private key, for private_key_jwt; stored encrypted, never shown.'),
  client_metadata_url: text.describe(
    'https URL of a Client ID Metadata Document, the client id where it is understood.',
  ),
  token_endpoint_auth_method: z
    .enum(['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'])
    .optional()
    .describe('How the client proves itself at the token endpoint. Default: what both sides can do.'),
  scope: text.describe('Scopes to ask for, separated by spaces. Default: those that the upstream names.'),
  audience: text.describe(
    'Audience to ask for, where the authorization server wants one besides the resource.',
  ),
  issuer: text.describe(
    'Issuer of the only authorization server that is asked (RFC 8414). Default: the one that the upstream names; the first one stays where the client has a secret or key.',
  ),
  token_endpoint: text.describe('URL of the token endpoint, where it cannot be discovered.'),
});

type Fields = z.output<typeof Fields>;
type Problem = readonly [member: keyof Fields, message: string];

/** `auth` of a server: the OAuth client that the connector is (docs/upstream-auth.md). Placeholders unexpanded. */
export const UpstreamAuth = Fields.superRefine((auth, context) => {
  for (const [member, message] of authProblems(auth))
    context.addIssue({ code: 'custom', path: [member], message });
});
export type UpstreamAuth = z.output<typeof UpstreamAuth>;

/** What the outside may see of it. */
export const UpstreamAuthView = Fields.omit({ client_secret: true, private_key: true }).extend({
  /** Names of the secrets that are set. */
  secret_keys: z.array(z.enum(['client_secret', 'private_key'])),
});

/** Everything that only shows when several members are looked at together. A message names no value. */
function authProblems(auth: Fields): Problem[] {
  return [...clientProblems(auth), ...methodProblems(auth), ...flowProblems(auth), ...urlProblems(auth)];
}

function clientProblems(auth: Fields): Problem[] {
  const { client_id, client_secret, private_key, client_metadata_url } = auth;
  const problems: Problem[] = [];
  if (client_id !== undefined && client_metadata_url !== undefined)
    problems.push(['client_metadata_url', 'client_id and client_metadata_url exclude each other']);
  if (client_secret !== undefined && private_key !== undefined)
    problems.push(['private_key', 'client_secret and private_key exclude each other']);
  if (client_id !== undefined) return problems;
  if (client_secret !== undefined) problems.push(['client_id', 'client_secret needs a client_id']);
  if (private_key !== undefined && client_metadata_url === undefined)
    problems.push(['client_id', 'private_key needs a client_id or a client_metadata_url']);
  return problems;
}

function methodProblems(auth: Fields): Problem[] {
  const { token_endpoint_auth_method: method, client_secret, private_key } = auth;
  const needs = (secret: unknown, name: string): Problem[] =>
    secret === undefined ? [['token_endpoint_auth_method', `${method} needs a ${name}`]] : [];
  switch (method) {
    case undefined:
      return [];
    case 'none':
      return client_secret === undefined && private_key === undefined
        ? []
        : [['token_endpoint_auth_method', 'none excludes client_secret and private_key']];
    case 'client_secret_basic':
    case 'client_secret_post':
      return needs(client_secret, 'client_secret');
    case 'private_key_jwt':
      return needs(private_key, 'private_key');
  }
}

function flowProblems(auth: Fields): Problem[] {
  const { flow, client_id, client_metadata_url, client_secret, private_key, issuer, token_endpoint } = auth;
  if (flow === 'authorization_code')
    return token_endpoint === undefined
      ? []
      : [['token_endpoint', 'is for the other flows; this one needs what the server discovers']];
  const problems: Problem[] = [];
  if (client_id === undefined && client_metadata_url === undefined)
    problems.push(['client_id', `flow ${flow} needs a client_id`]);
  if (client_secret === undefined && private_key === undefined)
    problems.push(['client_secret', `flow ${flow} needs a client_secret or a private_key`]);
  if (flow === 'token_exchange' && issuer === undefined && token_endpoint === undefined)
    problems.push(['issuer', 'flow token_exchange needs an issuer or a token_endpoint']);
  return problems;
}

function urlProblems({ client_metadata_url, issuer, token_endpoint }: Fields): Problem[] {
  const problems: Problem[] = [];
  if (isWritten(client_metadata_url) && !isMetadataUrl(client_metadata_url))
    problems.push(['client_metadata_url', 'is no https URL with a path']);
  if (isWritten(issuer) && !(isEndpoint(issuer) && new URL(issuer).search === ''))
    problems.push(['issuer', 'is no http or https URL without user name, password, query and fragment']);
  if (isWritten(token_endpoint) && !isEndpoint(token_endpoint))
    problems.push(['token_endpoint', 'is no http or https URL without user name, password and fragment']);
  return problems;
}

/** Without placeholders, so that it can be looked at before they are filled in. */
function isWritten(value: string | undefined): value is string {
  return value !== undefined && !value.includes('${');
}

function isMetadataUrl(value: string): boolean {
  return isEndpoint(value) && new URL(value).protocol === 'https:' && new URL(value).pathname !== '/';
}

function isEndpoint(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, username, password, hash } = new URL(value);
  return ['http:', 'https:'].includes(protocol) && username === '' && password === '' && hash === '';
}
