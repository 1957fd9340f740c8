import type { Problem } from '../check/problem.js';
import type { Environment } from '../sources/environment.js';
import type { ResolvedConfig } from './resolve.js';
import type { UarConfig } from '../schema.js';

const minSecretBytes = 32;

/** Problems of the variable that holds the webhook's key: its value is never shown. */
export function webhookSecretProblems({ approvals: { webhook } }: UarConfig, env: Environment): Problem[] {
  if (webhook === undefined) return [];
  const path = 'approvals.webhook.secret_env';
  const secret = env[webhook.secret_env] ?? '';
  if (secret === '') return [{ path, message: `${webhook.secret_env} is not set` }];
  return Buffer.byteLength(secret) < minSecretBytes
    ? [{ path, message: `${webhook.secret_env} holds fewer than ${minSecretBytes} bytes` }]
    : [];
}

/** The key beside the name of its variable, where this process has it. */
export function withWebhookSecret(config: ResolvedConfig, env: Environment): ResolvedConfig {
  const { webhook } = config.approvals;
  const secret = webhook === undefined ? undefined : env[webhook.secret_env];
  if (webhook === undefined || secret === undefined || secret === '') return config;
  return { ...config, approvals: { ...config.approvals, webhook: { ...webhook, secret } } };
}
