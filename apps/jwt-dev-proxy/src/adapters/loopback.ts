import { lookup } from 'node:dns/promises';
import type { Server } from 'node:http';
import { isLoopbackHost } from '@uar/config';
import type { Endpoint } from '../domain/endpoint.js';
import { ProxyRefused } from '../domain/proxy-refused.js';

/**
 * The address behind a name, looked up once: what was checked is what is used. Refused unless every address of the
 * name is loopback.
 */
export async function loopbackAddress(endpoint: Endpoint, what: string): Promise<Endpoint> {
  const found = await lookup(endpoint.host, { all: true }).catch(() => []);
  const [first] = found;
  if (first === undefined) throw new ProxyRefused(`${what} ${endpoint.host} cannot be resolved`);
  const foreign = found.find(({ address }) => !isLoopbackHost(address));
  if (foreign !== undefined) {
    const means = foreign.address === endpoint.host ? '' : ` (${foreign.address})`;
    throw new ProxyRefused(`${what} ${endpoint.host}${means} is not a loopback address`);
  }
  return { host: first.address, port: endpoint.port };
}

/** Binds, then looks at the socket itself: whatever the settings said, it listens on loopback or not at all. */
export async function listenOnLoopback(server: Server, endpoint: Endpoint): Promise<Endpoint> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      reject(
        new ProxyRefused(`cannot listen on ${endpoint.host}:${String(endpoint.port)}: ${error.message}`),
      );
    });
    server.listen({ host: endpoint.host, port: endpoint.port, exclusive: true }, resolve);
  });
  const bound = server.address();
  if (bound !== null && typeof bound === 'object' && isLoopbackHost(bound.address))
    return { host: bound.address, port: bound.port };
  server.close();
  throw new ProxyRefused('the bound socket is not on a loopback address');
}
