import type { Environment, Problem } from '@uar/config';
import type { ServiceName } from '@uar/contracts';
import { readSecretFile } from '@uar/keys';

/** What a service process needs besides the configuration. */
export interface ProcessSettings {
  readonly natsUrl: string;
  readonly natsUser: string;
  readonly natsPassword: string | undefined;
  /** Port of `/healthz` and `/readyz`; none without. */
  readonly probePort: number | undefined;
}

export type ReadSettings =
  | { readonly kind: 'ok'; readonly settings: ProcessSettings }
  | { readonly kind: 'bad'; readonly problems: readonly Problem[] };

/** `NATS_URL`, `UAR_NATS_USER` (default: the service's name), `UAR_NATS_PASSWORD_FILE`, `UAR_PROBE_PORT`. Empty is unset. */
export function readProcessSettings(service: ServiceName, env: Environment): ReadSettings {
  const problems: Problem[] = [];
  const text = (name: string): string | undefined => env[name] || undefined;
  const natsUrl = text('NATS_URL') ?? '';
  if (natsUrl === '') {
    problems.push({
      path: 'NATS_URL',
      message: 'is required: a service in a process of its own needs a NATS server',
    });
  }
  const natsPassword = passwordFrom(text('UAR_NATS_PASSWORD_FILE'), problems);
  const probePort = portFrom(text('UAR_PROBE_PORT'), problems);
  if (problems.length > 0) return { kind: 'bad', problems };
  const natsUser = text('UAR_NATS_USER') ?? service;
  return { kind: 'ok', settings: { natsUrl, natsUser, natsPassword, probePort } };
}

function passwordFrom(file: string | undefined, problems: Problem[]): string | undefined {
  if (file === undefined) return undefined;
  try {
    return readSecretFile(file);
  } catch (error) {
    const message = error instanceof Error ? error.message : 'cannot be read';
    problems.push({ path: 'UAR_NATS_PASSWORD_FILE', message });
    return undefined;
  }
}

function portFrom(text: string | undefined, problems: Problem[]): number | undefined {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  problems.push({ path: 'UAR_PROBE_PORT', message: 'is no port number' });
  return undefined;
}
