import type { Environment, ResolvedConfig } from '@uar/config';
import { ProxyServer } from './adapters/proxy-server.js';
import { loopbackAddress } from './adapters/loopback.js';
import { TokenSource } from './adapters/token-source.js';
import { formatEndpoint, parseEndpoint, parseUpstream, type Endpoint } from './domain/endpoint.js';
import { ProxyRefused } from './domain/proxy-refused.js';
import {
  mergeTexts,
  readSettings,
  defaultListen,
  type ProxySettings,
  type ProxyTexts,
} from './domain/proxy-settings.js';

export { ProxyRefused } from './domain/proxy-refused.js';

export interface ProxyOptions {
  /** The loaded configuration, with its secret. */
  readonly config: ResolvedConfig;
  /** `UAR_PROXY_*`, and where it runs. */
  readonly env: Environment;
  /** What flags say; wins over `env`. */
  readonly flags?: ProxyTexts;
}

export interface RunningProxy {
  readonly url: string;
  /** Where it forwards to, as `host:port`. */
  readonly upstream: string;
  close(): Promise<void>;
}

/** Starts the development proxy, or throws `ProxyRefused` before anything listens beyond loopback. */
export async function startProxy(options: ProxyOptions): Promise<RunningProxy> {
  const { config, env } = options;
  const texts = mergeTexts(options.flags ?? {}, env);
  const secret = developmentSecret(config, env);
  const read = readSettings(texts);
  if (read.kind === 'bad') throw new ProxyRefused(read.problem);
  const upstream = await loopbackAddress(upstreamOf(texts.upstream, config), 'upstream');
  const listen = await loopbackAddress(listenOf(texts.listen), 'listen address');
  const tokens = new TokenSource({ ...claimsOf(read.settings, config), secret });
  const server = new ProxyServer({ upstream, tokens });
  const bound = await server.listen(listen);
  return {
    url: `http://${formatEndpoint(bound)}`,
    upstream: formatEndpoint(upstream),
    close: () => server.close(),
  };
}

function developmentSecret(config: ResolvedConfig, env: Environment): string {
  if (config.profile !== 'minimal')
    throw new ProxyRefused(
      `profile ${config.profile}: this proxy is for development in profile minimal only`,
    );
  if (env['KUBERNETES_SERVICE_HOST'] !== undefined)
    throw new ProxyRefused("this is a Kubernetes pod: this proxy is for a developer's machine only");
  if (config.security.jwks_url !== undefined)
    throw new ProxyRefused(
      'security.jwks_url is set: tokens come from your identity provider, none are minted here',
    );
  if (config.security.jwt_secret === undefined)
    throw new ProxyRefused('the configuration holds no jwt_secret');
  return config.security.jwt_secret;
}

function listenOf(text = defaultListen): Endpoint {
  const endpoint = parseEndpoint(text);
  if (endpoint === undefined) throw new ProxyRefused(`--listen: ${JSON.stringify(text)} is not host:port`);
  return endpoint;
}

function upstreamOf(text: string | undefined, { server }: ResolvedConfig): Endpoint {
  if (text === undefined) {
    if (server.tls !== undefined)
      throw new ProxyRefused('server.tls is set: this proxy speaks plain HTTP only');
    if (server.port === 0) throw new ProxyRefused('server.port is 0: name the gateway with --upstream');
    const anywhere = ['0.0.0.0', '::', ''].includes(server.host);
    return { host: anywhere ? '127.0.0.1' : server.host, port: server.port };
  }
  const endpoint = parseUpstream(text);
  if (endpoint === undefined)
    throw new ProxyRefused(`--upstream: ${JSON.stringify(text)} is not host:port of a plain HTTP gateway`);
  return endpoint;
}

function claimsOf(
  settings: ProxySettings,
  { security }: ResolvedConfig,
): Omit<ConstructorParameters<typeof TokenSource>[0], 'secret'> {
  const { jwt_issuer, jwt_audience, claims } = security;
  const tenant = settings.tenant ?? security.default_tenant;
  if (tenant === undefined) throw new ProxyRefused('the configuration holds no default_tenant');
  return {
    sub: settings.sub,
    name: settings.name,
    roles: settings.roles,
    groups: settings.groups,
    tenant,
    ...(settings.scopes === undefined ? {} : { scopes: settings.scopes }),
    ...(settings.agent === undefined ? {} : { agent: settings.agent }),
    ttlSeconds: settings.ttl_secs,
    claims,
    ...(jwt_issuer === undefined ? {} : { issuer: jwt_issuer }),
    ...(jwt_audience === undefined ? {} : { audience: jwt_audience }),
  };
}
