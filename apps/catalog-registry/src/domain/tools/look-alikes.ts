import { skeletonOf } from '@uar/catalog';
import { partsOf, type ServerKey } from '../servers/desired-servers.js';

/** Raw names drawn alike, with the servers that have them. */
type Crowd = Map<string, Set<ServerKey>>;

const plain = /^[\x20-\x7e]*$/;
const nativeServer = 'native';
const everybody = '*';

/**
 * The raw names of all servers, by how they are drawn. A twin is a name that a reader would take for another one of its
 * tenant, on whichever server; native tools are in every tenant. Of such a pair only the name that is not plain ASCII is
 * told, so that a twin cannot take an honest tool out of service.
 */
export class LookAlikes {
  private readonly names = new Map<ServerKey, readonly string[]>();
  private readonly crowds = new Map<string, Map<string, Crowd>>();

  /** Takes the names of a server in place of its former ones; gives the other servers that have names to look at again. */
  put(key: ServerKey, rawNames: readonly string[]): ReadonlySet<ServerKey> {
    const before = this.names.get(key) ?? [];
    const turned = new Set<ServerKey>();
    for (const name of before) this.take(key, name, turned);
    if (rawNames.length === 0) this.names.delete(key);
    else this.names.set(key, rawNames);
    for (const name of rawNames) this.give(key, name, turned);
    turned.delete(key);
    return turned;
  }

  isTwin(key: ServerKey, rawName: string): boolean {
    if (plain.test(rawName)) return false;
    const drawn = skeletonOf(rawName);
    return [domainOf(key), everybody].some((domain) => {
      const crowd = this.crowds.get(domain)?.get(drawn);
      return crowd !== undefined && [...crowd.keys()].some((name) => name !== rawName);
    });
  }

  private give(key: ServerKey, name: string, turned: Set<ServerKey>): void {
    const drawn = skeletonOf(name);
    const domain = this.crowds.get(domainOf(key)) ?? new Map<string, Crowd>();
    this.crowds.set(domainOf(key), domain);
    const crowd = domain.get(drawn) ?? new Map<string, Set<ServerKey>>();
    domain.set(drawn, crowd);
    crowd.set(name, (crowd.get(name) ?? new Set()).add(key));
    this.turn(key, drawn, turned);
  }

  private take(key: ServerKey, name: string, turned: Set<ServerKey>): void {
    const drawn = skeletonOf(name);
    const crowd = this.crowds.get(domainOf(key))?.get(drawn);
    const holders = crowd?.get(name);
    holders?.delete(key);
    if (holders?.size === 0) crowd?.delete(name);
    if (crowd?.size === 0) this.crowds.get(domainOf(key))?.delete(drawn);
    this.turn(key, drawn, turned);
  }

  /** Those whose name is drawn like a changed one and is not plain. */
  private turn(key: ServerKey, drawn: string, turned: Set<ServerKey>): void {
    const domains = domainOf(key) === everybody ? [...this.crowds.values()] : this.seenBy(key);
    for (const domain of domains) {
      const odd = [...(domain.get(drawn) ?? [])].filter(([name]) => !plain.test(name));
      for (const holder of odd.flatMap(([, holders]) => [...holders])) turned.add(holder);
    }
  }

  private seenBy(key: ServerKey): readonly Map<string, Crowd>[] {
    const own = this.crowds.get(domainOf(key));
    return own === undefined ? [] : [own];
  }
}

function domainOf(key: ServerKey): string {
  const { tenant, name } = partsOf(key);
  return name === nativeServer ? everybody : tenant;
}
