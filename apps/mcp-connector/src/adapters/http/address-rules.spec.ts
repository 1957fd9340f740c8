import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { addressRules } from './address-rules.js';

const problem = (url: string, allowed: readonly string[] = []): string | undefined =>
  addressRules(allowed).urlProblem(new URL(url));

describe('addressRules (S1)', () => {
  it('refuses every spelling of addresses that are not public', () => {
    const hosts = [
      '127.0.0.1',
      '2130706433',
      '0x7f.1',
      '0177.0.0.1',
      '127.1',
      '１２７.0.0.1',
      '0.0.0.0',
      '10.1.2.3',
      '172.16.0.1',
      '192.168.1.1',
      '100.64.0.1',
      '169.254.169.254',
      '100.100.100.200',
      '168.63.129.16',
      '192.0.0.192',
      '224.0.0.1',
      '255.255.255.255',
      '240.0.0.1',
      '198.18.0.1',
      '[::]',
      '[::1]',
      '[::127.0.0.1]',
      '[::ffff:127.0.0.1]',
      '[::ffff:a00:1]',
      '[64:ff9b::a00:1]',
      '[2002:7f00:1::]',
      '[fe80::1]',
      '[fc00::1]',
      '[fd00:ec2::254]',
      '[ff02::1]',
      '[2001:db8::1]',
    ];
    for (const host of hosts) expect(problem(`http://${host}:80/`), host).toMatch(/not allowed/);
  });

  it('takes public addresses and names, and what is allowed by network', () => {
    for (const host of ['93.184.216.34', '[2606:2800:220:1::]', '[::ffff:93.184.216.34]', 'example.org'])
      expect(problem(`https://${host}/`), host).toBeUndefined();
    expect(problem('http://10.1.2.3/', ['10.0.0.0/8'])).toBeUndefined();
    expect(problem('http://[::ffff:10.1.2.3]/', ['10.0.0.0/8'])).toBeUndefined();
    expect(problem('http://127.0.0.1/', ['10.0.0.0/8'])).toMatch(/not allowed/);
  });

  it('never lets metadata and link-local addresses be allowed', () => {
    const all = ['0.0.0.0/0', '::/0'];
    for (const host of [
      '169.254.169.254',
      '[fe80::1]',
      '100.100.100.200',
      '168.63.129.16',
      '[fd00:ec2::254]',
      '0.0.0.0',
    ])
      expect(problem(`http://${host}/`, all), host).toMatch(/not allowed/);
  });

  it('checks what a name resolves to at each connect', async () => {
    const lookup = (allowed: readonly string[]): Promise<unknown> =>
      new Promise((resolve) => {
        addressRules(allowed).lookup('localhost', { all: false }, (error, address) =>
          resolve(error?.code ?? address),
        );
      });
    expect(await lookup([])).toBe('UAR_ADDRESS_REFUSED');
    expect(['127.0.0.1', '::1']).toContain(await lookup(['127.0.0.0/8', '::1/128']));
    const server = createServer((_request, response) => response.end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const { send } = await import('./post.js');
    const { Agent } = await import('node:http');
    const agent = new Agent();
    const request = send(
      { url: new URL(`http://localhost:${port}/`), agent, lookup: addressRules([]).lookup },
      { method: 'GET', headers: {}, signal: new AbortController().signal },
    );
    await expect(request).rejects.toThrow('the address is not allowed');
    server.close();
  });
});
