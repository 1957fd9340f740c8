import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { portProblems } from './ports.js';

describe('the look at the ports', () => {
  it('names every one that is in use and how to choose another', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const wanted = { name: 'gateway', host: '127.0.0.1', port, variable: 'UAR_PORT' };
    expect(await portProblems([wanted, { ...wanted, port: 0 }])).toEqual([
      `the gateway's port ${port} on 127.0.0.1 is in use; UAR_PORT chooses another, 0 takes a free one`,
    ]);
    server.close();
    await once(server, 'close');
    expect(await portProblems([wanted])).toEqual([]);
  });

  it('names an address that is not of this machine', async () => {
    const wanted = { name: 'gateway', host: '192.0.2.1', port: 1, variable: 'UAR_PORT' };
    expect(await portProblems([wanted])).toEqual([expect.stringContaining('cannot be had')]);
  });
});
