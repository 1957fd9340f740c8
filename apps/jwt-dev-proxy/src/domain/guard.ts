import { headerValues, type RequestHead } from './request-head.js';

export interface GuardRefusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

const methods = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'];
const bodyMethods = ['POST', 'PUT', 'PATCH'];
const once = [
  'host',
  'origin',
  'content-type',
  'content-length',
  'transfer-encoding',
  'sec-fetch-site',
  'referer',
];
/** What a page may send anywhere without asking first (Fetch, CORS-safelisted request header). */
const formType = 'application/x-www-form-urlencoded';
const simpleTypes = [formType, 'multipart/form-data', 'text/plain'];

/**
 * Lets through what a program on this machine or our own console sends, and nothing that a web page can make a browser
 * send: the proxy adds a token to whatever passes. `hosts`: the authorities (`host:port`) under which we are reached.
 * A page behind a rebinding name sends no Sec-Fetch-Site and our address; only its Host gives it away.
 */
export function guard(head: RequestHead, hosts: ReadonlySet<string>): GuardRefusal | undefined {
  const repeated = once.find((name) => headerValues(head, name).length > 1);
  if (repeated !== undefined) return bad(`More than one ${repeated} header.`);
  return hostProblem(head, hosts) ?? originProblem(head, hosts) ?? shapeProblem(head) ?? bodyProblem(head);
}

function hostProblem(head: RequestHead, hosts: ReadonlySet<string>): GuardRefusal | undefined {
  const [host] = headerValues(head, 'host');
  if (host === undefined) return bad('No Host header.');
  return hosts.has(host.toLowerCase()) ? undefined : forbidden('The Host header does not name this proxy.');
}

function originProblem(head: RequestHead, hosts: ReadonlySet<string>): GuardRefusal | undefined {
  const [origin] = headerValues(head, 'origin');
  if (origin !== undefined && !isOwn(origin, hosts))
    return forbidden('Requests of other origins are refused.');
  const [site] = headerValues(head, 'sec-fetch-site');
  if (site !== undefined && !['none', 'same-origin'].includes(site.toLowerCase()))
    return forbidden('Requests of other sites are refused.');
  const [referer] = headerValues(head, 'referer');
  const from = referer === undefined ? undefined : /^https?:\/\/[^/?#]*/i.exec(referer)?.[0];
  return referer === undefined || (from !== undefined && isOwn(from, hosts))
    ? undefined
    : forbidden('Requests of other pages are refused.');
}

function isOwn(origin: string, hosts: ReadonlySet<string>): boolean {
  const lower = origin.toLowerCase();
  return lower.startsWith('http://') && hosts.has(lower.slice('http://'.length));
}

function shapeProblem(head: RequestHead): GuardRefusal | undefined {
  if (!head.target.startsWith('/')) return bad('The request target is no path.');
  if (!methods.includes(head.method))
    return { status: 405, code: 'method_not_allowed', message: `${head.method} is not forwarded.` };
  if (!head.upgrade) return undefined;
  const [protocol] = headerValues(head, 'upgrade');
  const webSocket = head.method === 'GET' && protocol?.toLowerCase() === 'websocket';
  return webSocket ? undefined : bad('Only GET upgrades to WebSocket are forwarded.');
}

function bodyProblem(head: RequestHead): GuardRefusal | undefined {
  const chunked = headerValues(head, 'transfer-encoding').length > 0;
  const [length] = headerValues(head, 'content-length');
  if (chunked && (head.upgrade || !bodyMethods.includes(head.method)))
    return bad(`${head.method} with Transfer-Encoding is not forwarded.`);
  const [type] = headerValues(head, 'content-type');
  const hasBody = chunked || (length !== undefined && Number(length) !== 0);
  if (hasBody && type === undefined) return unsupported('A body needs a Content-Type.');
  const essence = type?.split(/[;,]/)[0]?.trim().toLowerCase();
  if (essence === formType && isFormOfPages(head)) return undefined;
  return essence !== undefined && (essence === '' || simpleTypes.includes(essence))
    ? unsupported('Forms and plain text are refused: a web page could send them. Use application/json.')
    : undefined;
}

/** Votes of the approval pages, from one of our own pages and from nowhere else: the origin was judged before. */
function isFormOfPages(head: RequestHead): boolean {
  return head.target.startsWith('/approvals/') && headerValues(head, 'origin').length === 1;
}

function bad(message: string): GuardRefusal {
  return { status: 400, code: 'bad_request', message };
}

function forbidden(message: string): GuardRefusal {
  return { status: 403, code: 'forbidden', message };
}

function unsupported(message: string): GuardRefusal {
  return { status: 415, code: 'unsupported_media_type', message };
}
