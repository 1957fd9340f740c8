/** The proxy does not start, and says why: its settings or its surroundings are not those of a developer's machine. */
export class ProxyRefused extends Error {
  override readonly name = 'ProxyRefused';
}
