import { lookup as resolve, type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

export interface AddressRules {
  /** Why a URL may not be used; undefined: it may, as far as its text tells. */
  urlProblem(url: URL): string | undefined;
  /** Name resolution for sockets: every address of a name has to be allowed, and the socket goes to one of them. */
  readonly lookup: LookupFunction;
}

/** Metadata services outside of the link-local range. */
const metadata = ['100.100.100.200', '168.63.129.16', '192.0.0.192', 'fd00:ec2::254'].map((text) =>
  ipaddr.parse(text),
);
const neverRanges = new Set(['linkLocal', 'unspecified', 'broadcast', 'multicast', 'reserved']);

/** IPv6 forms that carry an IPv4 address a router may unwrap: where in the 16 bytes it stands. */
const embeddings: readonly { readonly range: string; readonly at: number }[] = [
  { range: '::ffff:0:0/96', at: 12 },
  { range: '::ffff:0:0:0/96', at: 12 },
  { range: '::/96', at: 12 },
  { range: '64:ff9b::/96', at: 12 },
  { range: '2002::/16', at: 2 },
];

/** `allowedNetworks`: CIDR ranges besides public addresses. Link-local and metadata addresses are never allowed. */
export function addressRules(allowedNetworks: readonly string[]): AddressRules {
  const allowed = allowedNetworks.map((network) => ipaddr.parseCIDR(network));
  const isAllowed = (text: string): boolean => {
    if (!ipaddr.isValid(text)) return false;
    return variantsOf(ipaddr.parse(text)).every((address) => mayReach(address, allowed));
  };
  return {
    urlProblem: (url) => urlProblem(url, isAllowed),
    lookup: (hostname, options, callback) => {
      resolve(hostname, { ...options, all: true }, (error, addresses) => {
        if (error !== null) return callback(error, '');
        const refused = addresses.some(({ address }) => !isAllowed(address));
        if (refused || addresses.length === 0) return callback(refusal(), '');
        answer(addresses, options.all === true, callback);
      });
    },
  };
}

function answer(addresses: LookupAddress[], all: boolean, callback: Parameters<LookupFunction>[2]): void {
  const [first] = addresses;
  if (all || first === undefined) callback(null, addresses);
  else callback(null, first.address, first.family);
}

function refusal(): NodeJS.ErrnoException {
  return Object.assign(new Error('the address is not allowed'), { code: 'UAR_ADDRESS_REFUSED' });
}

function urlProblem(url: URL, isAllowed: (address: string) => boolean): string | undefined {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'the URL is neither http nor https';
  if (url.username !== '' || url.password !== '')
    return 'the URL holds user information; put credentials into a header';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (host === '') return 'the URL has no host';
  return ipaddr.isValid(host) && !isAllowed(host) ? 'the address of the URL is not allowed' : undefined;
}

/** The address itself, and the IPv4 address inside of it. `::1` and `::` are themselves only. */
function variantsOf(address: Address): Address[] {
  if (!(address instanceof ipaddr.IPv6)) return [address];
  if (address.range() === 'loopback' || address.range() === 'unspecified') return [address];
  const bytes = address.toByteArray();
  const inner = embeddings
    .filter(({ range }) => address.match(ipaddr.IPv6.parseCIDR(range)))
    .map(({ at }) => new ipaddr.IPv4(bytes.slice(at, at + 4)));
  const isMapped = address.isIPv4MappedAddress();
  return isMapped ? inner : [address, ...inner];
}

function mayReach(address: Address, allowed: readonly [Address, number][]): boolean {
  const range = address.range();
  if (neverRanges.has(range) || metadata.some((other) => sameAddress(address, other))) return false;
  if (range === 'unicast') return true;
  return allowed.some(
    ([network, bits]) => network.kind() === address.kind() && matches(address, network, bits),
  );
}

function sameAddress(one: Address, other: Address): boolean {
  return one.kind() === other.kind() && one.toString() === other.toString();
}

function matches(address: Address, network: Address, bits: number): boolean {
  if (address instanceof ipaddr.IPv4 && network instanceof ipaddr.IPv4) return address.match(network, bits);
  if (address instanceof ipaddr.IPv6 && network instanceof ipaddr.IPv6) return address.match(network, bits);
  return false;
}
