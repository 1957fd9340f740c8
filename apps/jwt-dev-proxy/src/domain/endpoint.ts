/** Where something listens: a name or address, and a port. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

const withPort = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:[\]/@]+)):(\d{1,5})$/;

/** `host:port` or `[address]:port`; undefined for anything else. */
export function parseEndpoint(text: string): Endpoint | undefined {
  const [, bracketed, plain, digits = ''] = withPort.exec(text) ?? [];
  const host = bracketed ?? plain;
  const port = Number(digits);
  return host === undefined || port > 65_535 ? undefined : { host, port };
}

/** `host:port`, also as `http://host:port`: a gateway on this machine, without path and without user. */
export function parseUpstream(text: string): Endpoint | undefined {
  const endpoint = parseEndpoint(text.replace(/^http:\/\//i, '').replace(/\/$/, ''));
  return endpoint === undefined || endpoint.port === 0 ? undefined : endpoint;
}

export function formatEndpoint({ host, port }: Endpoint): string {
  return `${host.includes(':') ? `[${host}]` : host}:${String(port)}`;
}
