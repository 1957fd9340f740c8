import type { ServiceName } from '@uar/contracts';
import { permissionsOf, serviceNames } from '../core/rights.js';

interface ServerOptions {
  readonly host: string;
  /** -1 takes a free one. */
  readonly port: number;
  readonly maxPayloadBytes: number;
}

export interface NatsServerOptions extends ServerOptions {
  readonly passwords: Readonly<Record<ServiceName, string>>;
}

/** Letters, digits, `-` and `_`: nothing that means something in a nats.conf, in a URL or as a bcrypt hash. */
const passwordPattern = /^[A-Za-z0-9_-]{16,256}$/;

/** nats.conf with one user per service, who may do what the topology says and nothing else. Holds the passwords: 0600. */
export function natsServerConfig(options: NatsServerOptions): string {
  return configText(options, (service) => {
    const password = options.passwords[service];
    if (!passwordPattern.test(password))
      throw new Error(`the bus password of ${service} is not fit for a nats.conf`);
    return JSON.stringify(password);
  });
}

/** Name of the environment variable of a nats-server that holds a service's password. */
export const natsPasswordVariable = (service: ServiceName): string =>
  `UAR_NATS_${service.toUpperCase().replaceAll('-', '_')}_PASSWORD`;

/** The same for deployments: passwords come from the server's environment (letters first, or nats reads a number). */
export function natsDeploymentConfig(): string {
  const options = { host: '0.0.0.0', port: 4222, maxPayloadBytes: 4 * 1024 * 1024 };
  return `# Generated from the topology in @uar/contracts; a test keeps it in step.\n${configText(
    options,
    (service) => `$${natsPasswordVariable(service)}`,
  )}`;
}

const list = (subjects: readonly string[]): string =>
  subjects.map((subject) => `          ${JSON.stringify(subject)}\n`).join('');

function userText(service: ServiceName, password: string): string {
  const { publish, subscribe } = permissionsOf(service);
  return `    {
      user: ${JSON.stringify(service)}
      password: ${password}
      permissions: {
        publish: { allow: [
${list(publish)}        ] }
        subscribe: { allow: [
${list(subscribe)}        ] }
      }
    }
`;
}

function configText(options: ServerOptions, passwordOf: (service: ServiceName) => string): string {
  const users = serviceNames.map((service) => userText(service, passwordOf(service)));
  return `host: ${JSON.stringify(options.host)}
port: ${options.port}
max_payload: ${options.maxPayloadBytes}
authorization: {
  timeout: 5
  users: [
${users.join('')}  ]
}
`;
}
