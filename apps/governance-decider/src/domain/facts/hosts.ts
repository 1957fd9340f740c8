/**
 * The host of a URL, or of `host` and `host:port`, in punycode and lower case without a trailing dot; every spelling of an
 * IPv4 address as four decimals (WHATWG URL). Nothing for text that names no host.
 */
export function hostOf(text: string): string | undefined {
  if (/[\s\\]/.test(text)) return undefined;
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
  if (!hasScheme && !/^(?:\[[0-9a-f:.]+\]|[^/?#@:[\]]+)(?::\d{1,5})?$/i.test(text)) return undefined;
  const readable = hasScheme ? text.replace(/^[a-z][a-z0-9+.-]*/i, specialScheme) : `http://${text}`;
  if (!URL.canParse(readable)) return undefined;
  const host = new URL(readable).hostname.replace(/\.$/, '');
  return host === '' ? undefined : host;
}

/** Hosts of schemes that WHATWG URL does not know are left as they are written; read as http they are normalised. */
function specialScheme(scheme: string): string {
  return ['http', 'https', 'ws', 'wss', 'ftp'].includes(scheme.toLowerCase()) ? scheme : 'http';
}

/** Domains of `a@b`, `Name <a@b>` and lists of them parted by commas or semicolons. Nothing when one part has none. */
export function recipientDomains(text: string): readonly string[] | undefined {
  const domains = text.split(/[,;]/).map(domainOf);
  return domains.every((domain) => domain !== undefined) ? domains : undefined;
}

function domainOf(text: string): string | undefined {
  const trimmed = text.trim();
  const address = /^[^<>]*<([^<>]+)>$/.exec(trimmed)?.[1] ?? trimmed;
  const domain = /^[^\s@<>"]+@([^\s@<>"]+)$/.exec(address)?.[1];
  return domain === undefined || domain.includes(':') ? undefined : hostOf(domain);
}
