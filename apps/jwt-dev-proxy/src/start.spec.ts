import { once } from 'node:events';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { testConfig } from '@uar/testkit';
import { describe, expect, it } from 'vitest';
import { startProxy } from './module.js';

const config = testConfig({ security: { jwt_secret: 'a-secret-of-the-tests-with-more-than-32-bytes' } });

describe('the start', () => {
  it('is refused for listen addresses and upstreams that are not loopback', async () => {
    const listens = [
      '0.0.0.0:0',
      '[::]:0',
      '192.0.2.1:0',
      'nonsense',
      '10.0.0.1:8088',
      '[::ffff:192.0.2.1]:0',
    ];
    for (const listen of listens)
      await expect(
        startProxy({ config, env: {}, flags: { listen, upstream: '127.0.0.1:9' } }),
      ).rejects.toThrow(/loopback|host:port/);
    for (const upstream of [
      '192.0.2.1:1906',
      '[2001:db8::1]:80',
      '0.0.0.0:1906',
      'https://127.0.0.1:1',
      '169.254.169.254:80',
    ])
      await expect(
        startProxy({ config, env: {}, flags: { listen: '127.0.0.1:0', upstream } }),
      ).rejects.toThrow(/loopback|plain HTTP/);
  });

  it('is refused in server-full, in Kubernetes and with an identity provider', async () => {
    const full = testConfig({ ...config, profile: 'server-full' });
    const jwks = testConfig({ security: { jwks_url: 'http://127.0.0.1:1/keys' } });
    const flags = { listen: '127.0.0.1:0' };
    await expect(startProxy({ config: full, env: {}, flags })).rejects.toThrow('server-full');
    await expect(startProxy({ config: jwks, env: {}, flags })).rejects.toThrow('jwks_url');
    const env = { KUBERNETES_SERVICE_HOST: '10.0.0.1' };
    await expect(startProxy({ config, env, flags })).rejects.toThrow('Kubernetes');
  });

  it('leaves the port closed to other addresses of this machine', async () => {
    const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
    const lan = addresses.find((address) => !address.internal && address.family === 'IPv4')?.address;
    const flags = { listen: '127.0.0.1:0', upstream: '127.0.0.1:9' };
    const proxy = await startProxy({ config, env: {}, flags });
    const socket = connect(Number(new URL(proxy.url).port), lan ?? '127.0.0.2');
    const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
    await proxy.close();
    expect(error.code).toBe('ECONNREFUSED');
  });
});
