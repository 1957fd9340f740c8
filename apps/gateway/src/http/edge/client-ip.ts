import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';

type Range = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

/** What is asked of a request, upgrades included. */
interface ClientRequest {
  readonly raw: Pick<IncomingMessage, 'socket'>;
  readonly headers: IncomingMessage['headers'];
}

/** Address of the client: the socket's peer, or behind trusted proxies the right-most untrusted X-Forwarded-For (API.md 1). */
export class ClientIp {
  private readonly trusted: readonly Range[];
  /** A socket keeps its peer: read once per connection. */
  private readonly peers = new WeakMap<object, string>();

  constructor(trustedProxies: readonly string[]) {
    this.trusted = trustedProxies.map(rangeOf);
  }

  of(request: ClientRequest): string | undefined {
    if (this.trusted.length === 0) return this.peerOf(request.raw.socket);
    const peer = plain(request.raw.socket.remoteAddress);
    if (peer === undefined || !this.isTrusted(peer)) return peer?.toString();
    const header = request.headers['x-forwarded-for'];
    const hops = (Array.isArray(header) ? header.join(',') : (header ?? '')).split(',');
    let client = peer;
    for (const hop of hops.reverse()) {
      const address = plain(hop.trim());
      if (address === undefined) break;
      client = address;
      if (!this.isTrusted(address)) break;
    }
    return client.toString();
  }

  /** What one client surely has: its IPv4 address, or the 64 bits of IPv6 that a network is given. */
  networkOf(request: ClientRequest): string | undefined {
    const text = this.of(request);
    const address = plain(text);
    return address instanceof ipaddr.IPv6 ? address.parts.slice(0, 4).join(':') : text;
  }

  private peerOf(socket: { readonly remoteAddress?: string | undefined }): string | undefined {
    const known = this.peers.get(socket);
    if (known !== undefined) return known;
    const peer = plain(socket.remoteAddress)?.toString();
    if (peer !== undefined) this.peers.set(socket, peer);
    return peer;
  }

  private isTrusted(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
    return this.trusted.some(([network, bits]) => {
      if (network instanceof ipaddr.IPv4)
        return address instanceof ipaddr.IPv4 && address.match(network, bits);
      return address instanceof ipaddr.IPv6 && address.match(network, bits);
    });
  }
}

function rangeOf(text: string): Range {
  if (text.includes('/')) return ipaddr.parseCIDR(text);
  const address = ipaddr.process(text);
  return [address, address instanceof ipaddr.IPv4 ? 32 : 128];
}

/** IPv4 inside IPv6 counts as IPv4. */
function plain(text: string | undefined): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  return text !== undefined && ipaddr.isValid(text) ? ipaddr.process(text) : undefined;
}
