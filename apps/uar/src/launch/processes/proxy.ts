import type { Environment, LoadedConfig } from '@uar/config';
import { isLoopbackHost, type BadConfig, type Problem } from '@uar/config';
import { z } from 'zod';
import type { BusChoice } from '../bus/bus-choice.js';
import { before } from '../plane.js';
import { mainOf, nodeFlags, wholeEnvironment } from './service-environment.js';
import { SupervisedProcess } from './supervised-process.js';

/** The jwt-dev-proxy that comes with profile minimal. */
export interface ProxyPlan {
  readonly listen: { readonly host: string; readonly port: number };
}

export type ProxyPlanned =
  | { readonly kind: 'ok'; readonly proxy: ProxyPlan | undefined; readonly note?: string }
  | { readonly kind: 'bad'; readonly problems: readonly Problem[] };

const standard = { host: '127.0.0.1', port: 8088 };

/** Where the proxy listens, or why there is none. With port 0 for the gateway it takes a free one too, unless set. */
export function proxyPlan(env: Environment, loaded: LoadedConfig | BadConfig, wanted: boolean): ProxyPlanned {
  const given = env['UAR_PROXY_LISTEN'];
  const listen = given === undefined || given === '' ? undefined : parseListen(given);
  if (listen === 'bad')
    return { kind: 'bad', problems: [{ path: 'UAR_PROXY_LISTEN', message: 'is no loopback host:port' }] };
  if (loaded.kind === 'bad' || !wanted || loaded.config.profile !== 'minimal')
    return { kind: 'ok', proxy: undefined };
  const obstacle = obstacleOf(env, loaded);
  if (obstacle !== undefined) return { kind: 'ok', proxy: undefined, note: `no dev proxy: ${obstacle}` };
  const port = loaded.config.server.port === 0 ? 0 : standard.port;
  return { kind: 'ok', proxy: { listen: listen ?? { ...standard, port } } };
}

function obstacleOf(env: Environment, { config }: LoadedConfig): string | undefined {
  if (config.security.jwks_url !== undefined) return 'tokens come from the identity provider';
  if (config.server.tls !== undefined) return 'the gateway speaks TLS itself';
  if (env['KUBERNETES_SERVICE_HOST'] !== undefined) return 'this is a Kubernetes pod';
  const { host } = config.server;
  const reachable = isLoopbackHost(host) || host === '0.0.0.0' || host === '::';
  return reachable ? undefined : `the gateway does not listen on loopback (${host})`;
}

function parseListen(text: string): ProxyPlan['listen'] | 'bad' {
  const [, bracketed, plain, digits] = /^(?:\[([0-9a-f:.]+)\]|([^\s:[\]]+)):(\d{1,5})$/i.exec(text) ?? [];
  const host = bracketed ?? plain;
  const port = Number(digits);
  return host === undefined || !isLoopbackHost(host) || port > 65_535 ? 'bad' : { host, port };
}

export interface DevProxy {
  readonly url: string;
  stop(deadlineAt: number): Promise<void>;
}

export interface ProxyStart {
  readonly plan: ProxyPlan;
  /** URL of the gateway. */
  readonly gateway: string;
  readonly env: Environment;
  readonly loaded: LoadedConfig;
  readonly bus: Exclude<BusChoice, { kind: 'refused' }>;
  readonly say: (line: string) => void;
}

/** In this process where the services are, else in a process of its own. */
export async function startDevProxy(options: ProxyStart): Promise<DevProxy> {
  const listen = hostPort(options.plan.listen);
  const upstream = new URL(options.gateway).host;
  return options.bus.kind === 'inprocess'
    ? await startHere(options, { listen, upstream })
    : await startProcess(options, { listen, upstream });
}

interface Addresses {
  readonly listen: string;
  readonly upstream: string;
}

async function startHere({ loaded, env }: ProxyStart, flags: Addresses): Promise<DevProxy> {
  const { startProxy } = await import('@uar/jwt-dev-proxy/module');
  const proxy = await startProxy({ config: loaded.config, env, flags });
  return {
    url: proxy.url,
    stop: async (deadlineAt) => {
      await before(deadlineAt, proxy.close());
    },
  };
}

const Ready = z.object({ kind: z.literal('ready'), url: z.url() });

async function startProcess(options: ProxyStart, { listen, upstream }: Addresses): Promise<DevProxy> {
  let url: string | undefined;
  const supervised = new SupervisedProcess({
    name: 'jwt-dev-proxy',
    command: process.execPath,
    args: [...nodeFlags, mainOf('jwt-dev-proxy')],
    env: () => ({
      ...wholeEnvironment(options),
      UAR_PROXY_LISTEN: url === undefined ? listen : new URL(url).host,
      UAR_PROXY_UPSTREAM: upstream,
    }),
    owner: options.loaded.config.data_dir,
    onMessage: (message) => {
      const ready = Ready.safeParse(message);
      if (!ready.success) return;
      url ??= ready.data.url;
      supervised.markReady();
    },
    say: options.say,
  });
  await supervised.start();
  if (url === undefined) throw new Error('the jwt-dev-proxy does not say where it listens');
  return {
    url,
    stop: async (deadlineAt) => {
      await supervised.stop(Math.max(0, deadlineAt - Date.now()));
    },
  };
}

function hostPort({ host, port }: ProxyPlan['listen']): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
